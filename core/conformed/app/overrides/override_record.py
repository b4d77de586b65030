"""What the log keeps of an override: a record of its own, in one transaction with the beginning of the run that uses it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conformed.app.overrides.override_papers import Added
from conformed.app.overrides.overriding import Recorded
from conformed.app.people.guarded import OVERRIDDEN
from conformed.engine.canonical import canonical_bytes
from conformed.engine.history import BEGUN
from conformed.engine.log import Identity, Log, ours
from conformed.model.override import Override
from conformed_audit import Actor, Blob, Item, Kind, Pins, Record, RecordDraft

__all__ = ["WithOverrides", "papers_kept"]

_JSON, _BYTES = "application/json", "application/octet-stream"
_UNSAID = Actor("person", "person")
"""Who it was, the guarded log says: a pseudonym, never a name."""


class WithOverrides:
    """A log that writes the records of overrides together with the first records of their run: both are kept, or neither.

    Args:
        log: the log.
        identity: the run that uses them.
        overrides: those that are given now.
        earlier: the run that they override.
        added: papers that they add.
    """

    def __init__(
        self, log: Log, identity: Identity, overrides: Sequence[Override], earlier: Recorded, added: Sequence[Added]
    ) -> None:
        self._log = log
        self._blobs: list[Blob] = []
        sources = tuple(self._item(one.document.name, log.make_blob(one.data, _BYTES)) for one in added)
        pins = Pins(engine=identity.engine, contract=identity.contract, policy=identity.contract, plugins=identity.plugins)
        before = Item("earlier", earlier.commit, earlier.size, _JSON)
        self._drafts = [
            RecordDraft(
                case=identity.case, kind=Kind.STATE_CHANGED, actor=_UNSAID, run=identity.run,
                step=OVERRIDDEN, idem=f"override {identity.run} {place}", pins=pins, sources=sources,
                input=(before, self._item("override", log.make_blob(canonical_bytes(one), _JSON))),
                note=f"{one.code} of run {earlier.run}, against {one.answers}.",
            )
            for place, one in enumerate(overrides, 1)
        ]  # fmt: skip

    def _item(self, name: str, blob: Blob) -> Item:
        self._blobs.append(blob)
        return Item(name, blob.commit, len(blob.data), blob.media)

    def append(self, drafts: Sequence[RecordDraft], *, blobs: Sequence[Blob] = ()) -> tuple[Record, ...]:
        """Adds records and blobs in one transaction; with the first record of the run those of its overrides."""
        if any(draft.note == BEGUN for draft in drafts):
            return self._log.append((*drafts, *self._drafts), blobs=(*blobs, *self._blobs))
        return self._log.append(drafts, blobs=blobs)

    def records(self, case: str | None = None, run: str | None = None) -> Iterator[Record]:
        """As the log."""
        return self._log.records(case, run)

    def make_blob(self, data: bytes, media: str, *, public: bool = False) -> Blob:
        """As the log."""
        return self._log.make_blob(data, media, public=public)

    def get_blob(self, commit: str) -> bytes:
        """As the log."""
        return self._log.get_blob(commit)


def papers_kept(log: Log, run: str) -> dict[str, bytes]:
    """The papers that the overrides of a run added, by name, from the log."""
    with ours("read"):
        items = [i for r in log.records(run=run) if r.step == OVERRIDDEN and r.kind == Kind.STATE_CHANGED for i in r.sources]
        return {item.name: log.get_blob(item.commit) for item in items}
