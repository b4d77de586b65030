"""What the log says of names for weights: the one projection from which every answer about them is made. No file says it."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import TypeAdapter, ValidationError

from conformed.app.weights.judging import Judgement
from conformed.engine.log import ours
from conformed.errors import JournalError
from conformed_audit import AuditLog, BlobError, Kind, Record
from conformed_audit.aliases import ALIAS_CASE, FINAL_CASE, Alias, Aliases, FinalUse, Proposed

__all__ = ["Book"]

_JUDGED = TypeAdapter(tuple[Judgement, ...])


class Book:
    """Every alias and every use of a final set, over all epochs.

    Args:
        logs: the logs of all epochs, the oldest first. Each is read at once.

    Raises:
        JournalError: when a log cannot be read, or a record breaks the rules: then nothing can be said of any alias.
    """

    def __init__(self, logs: Iterable[AuditLog]) -> None:
        self._fold = Aliases(whole=True)
        self._origin = ""
        self._judged: dict[str, tuple[Judgement, ...]] = {}
        for log in logs:
            self._origin = log.origin
            self._take(log)

    def _take(self, log: AuditLog) -> None:
        with ours("read"):
            cases = [row.case for row in log.cases()]
            # Uses of final sets first: proposals name them.
            for beginning in (FINAL_CASE, ALIAS_CASE):
                for case in cases:
                    if not case.startswith(beginning):
                        continue
                    for record in log.records(case):
                        if (bad := self._fold.take(record)) is not None:
                            raise JournalError(
                                f"Record {record.cseq} of the case {case} breaks the rules of weights ({bad.check}).",
                                "Nothing can be said of them: conformed log verify.",
                            )
                        self._keep(log, record)

    def _keep(self, log: AuditLog, record: Record) -> None:
        """Reads what was found of the gates while its log is open."""
        kept = next((item.commit for item in record.sources if item.name == "judged"), None)
        if record.kind == Kind.APPROVAL_REQUESTED and kept is not None:
            try:
                self._judged[record.leaf] = _JUDGED.validate_json(log.get_blob(kept))
            except (BlobError, ValidationError):
                self._judged[record.leaf] = ()  # shown as nothing kept: what moves a name is judged anew from the report

    @property
    def names(self) -> tuple[str, ...]:
        """Aliases that were proposed or moved, sorted."""
        return tuple(sorted(name for name, alias in self._fold.aliases.items() if alias.proposals))

    def alias(self, name: str) -> Alias:
        """An alias; an empty one where there is none of that name."""
        return self._fold.aliases.get(name, Alias())

    def proposal(self, name: str, id_: str) -> Proposed | None:
        """A proposal for an alias by its id; None where there is none in the present log: one of an earlier epoch lapsed with it."""
        kept = self.alias(name).proposals.values()
        return next((one for one in kept if one.run == id_ and one.record.log == self._origin), None)

    def open_proposals(self, name: str) -> tuple[Proposed, ...]:
        """Proposals that can still be confirmed: of the present log, and made since the last move."""
        alias = self.alias(name)
        return tuple(one for one in alias.proposals.values() if one.after == alias.last and one.record.log == self._origin)

    def judged(self, proposal: Proposed) -> tuple[Judgement, ...]:
        """What was found of each gate when it was proposed."""
        return self._judged.get(proposal.leaf, ())

    def use(self, leaf: str) -> FinalUse | None:
        """A use of a final set by the leaf of its record."""
        return self._fold.uses.get(leaf)

    def used(self, family: str, data: str) -> FinalUse | None:
        """The use of the final set of a data set by a family of weights; None where it was not used."""
        return next((one for one in self._fold.uses.values() if (one.family, one.data) == (family, data)), None)

    def also_used(self, family: str, data: str) -> tuple[FinalUse, ...]:
        """Uses of the same final set by other families."""
        return tuple(one for one in self._fold.uses.values() if one.data == data and one.family != family)

    def before(self, use: str) -> str:
        """SHA-256 of the counts of all other splits when a final set was used; empty where the log has no such use."""
        found = self._fold.uses.get(use)
        return "" if found is None else found.before

    def reported(self, use: str) -> str:
        """SHA-256 of the counts that were reported of a use; empty where none were."""
        return self._fold.reported.get(use, "")
