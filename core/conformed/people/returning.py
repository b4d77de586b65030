"""Why a person sends a run back."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["RETURN_WORDS", "ReturnReason"]


class ReturnReason(StrEnum):
    """Why a run is sent back. Each names what is to be mended before it is done again."""

    EVIDENCE_MISSING = "evidence_missing"
    FIGURE_WRONG = "figure_wrong"
    NEEDS_COUNSEL = "needs_counsel"
    OTHER = "other"
    PAPERS_WRONG = "papers_wrong"
    QUESTION_WRONG = "question_wrong"
    READING_WRONG = "reading_wrong"


RETURN_WORDS = {
    ReturnReason.EVIDENCE_MISSING: "Something that must be shown is not in the pack.",
    ReturnReason.FIGURE_WRONG: "A figure is not what its paper says, or not the one that counts.",
    ReturnReason.NEEDS_COUNSEL: "Counsel must first say how the papers are to be read.",
    ReturnReason.OTHER: "Something else, said in the note.",
    ReturnReason.PAPERS_WRONG: "The pack has a paper too many, too few, or the wrong one.",
    ReturnReason.QUESTION_WRONG: "Another covenant, test date or knowledge date was meant.",
    ReturnReason.READING_WRONG: "The papers say something else than was read.",
}
"""Each reason in words."""
