"""What became of a decision's publication: stands beside the decision, never inside its recorded bytes."""

from __future__ import annotations

import json
from typing import Literal

from conformed.model.base import Frozen
from conformed.model.decision import Decision

__all__ = ["MEND", "PublicationNote", "SinkSaid", "json_with", "sentence_of"]

MEND = "Publish it: conformed log publish."
"""What a person does about a decision that is pending."""


class SinkSaid(Frozen):
    """What one sink said of a checkpoint."""

    sink: str
    """Its name."""
    ok: bool
    """Whether it has the checkpoint."""
    outside: bool
    """Whether the owner of the log's database cannot rewrite what it holds."""
    said: str
    """Where it was put, a cosignature, or why it has it not."""


class PublicationNote(Frozen):
    """Whether the log, as far as a decision reaches, is under a checkpoint that somebody outside holds."""

    state: Literal["published", "pending"]
    """published: an outside sink acknowledged the checkpoint. pending: none did yet."""
    checkpoint_size: int
    """Records under the checkpoint; 0 where none could be made."""
    sinks: tuple[SinkSaid, ...] = ()
    """What each sink said."""
    reason: str = ""
    """Why no checkpoint could be made."""


def sentence_of(note: PublicationNote) -> str:
    """The state as one sentence, and what to do where it is pending."""
    if note.state == "published":
        names = ", ".join(one.sink for one in note.sinks if one.ok and one.outside)
        return f"published · checkpoint of {note.checkpoint_size} records, held by {names}"
    failed = "; ".join(f"{one.sink}: {one.said}" for one in note.sinks if not one.ok)
    why = note.reason or failed or "no sink is outside this workspace"
    return f"PENDING: nobody outside holds the log yet ({why.rstrip('.')}). The decision is recorded. {MEND}"


def json_with(decision: Decision, note: PublicationNote | None) -> str:
    """A decision as JSON with its publication beside it.

    Args:
        decision: the record; its own fields are as they were recorded.
        note: what became of its publication; None leaves it out.
    """
    text = decision.model_dump_json(indent=2)
    if note is None:
        return text
    beside = json.dumps(note.model_dump(mode="json"), indent=2, ensure_ascii=False).replace("\n", "\n  ")
    return f'{text.rstrip().removesuffix("}").rstrip()},\n  "publication": {beside}\n}}'
