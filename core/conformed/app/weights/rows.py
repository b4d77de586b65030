"""What the log says of names for weights, as rows for people."""

from __future__ import annotations

from conformed.app.weights.history import Book
from conformed.app.weights.reporting import MoveRow, ProposalRow, UseRow
from conformed.people.directory import Directory
from conformed_audit.aliases import PROPOSED, FinalUse, Moved, Proposed

__all__ = ["move_row", "proposal_row", "use_row"]


def use_row(use: FinalUse, directory: Directory) -> UseRow:
    """A use of a final set."""
    return UseRow(
        use=use.leaf, who=directory.shown(use.actor.id), at=use.ts, family=use.family, dataset=use.data, manifest=use.manifest
    )


def proposal_row(proposal: Proposed, book: Book, directory: Directory) -> ProposalRow:
    """A proposal with what was looked at."""
    inline = next((item.inline for item in proposal.record.output if item.name == PROPOSED), None)
    said = {key: str(value) for key, value in inline.items()} if isinstance(inline, dict) else {}
    kept = {item.name: item.commit.removeprefix("sha256:") for item in proposal.record.sources}
    use = book.use(proposal.use)
    return ProposalRow(
        proposal=proposal.run, manifest=proposal.to, who=directory.shown(proposal.actor.id), at=proposal.ts, back=bool(proposal.back),
        reason=proposal.record.note or "", family=said.get("family", ""), run=said.get("run", ""), dataset=said.get("data", ""),
        report=kept.get("report", ""), gates=said.get("gates", ""), gates_sha256=kept.get("gates", ""),
        judged=book.judged(proposal),
        final=None if use is None else use_row(use, directory),
    )  # fmt: skip


def move_row(move: Moved, book: Book, directory: Directory) -> MoveRow:
    """A move."""
    return MoveRow(
        at=move.ts, manifest=move.to, who=directory.shown(move.actor.id), role=move.role, leaf=move.leaf,
        proposal=proposal_row(move.proposal, book, directory),
    )  # fmt: skip
