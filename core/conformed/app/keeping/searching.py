"""Looking for runs, and proofs to take away: `conformed log list`, `find` and `prove`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from conformed.app.keeping.run_index import FILTERS, index_of
from conformed.app.keeping.run_row import RunRow
from conformed.app.retention.epoch_reading import epoch_name, in_some_epoch
from conformed.app.retention.epochs import archives_of
from conformed.app.service import Service
from conformed.engine.log import ours
from conformed.errors import UsageError
from conformed.model.base import Frozen
from conformed_audit import AuditLog
from conformed_audit.proof import continuation_of, proof_of

__all__ = ["MOST", "Found", "RunFound", "Search"]

MOST = 1000
"""Most runs that one search gives."""
_LEAF = re.compile(r"[0-9a-f]{8,64}")


class RunFound(Frozen):
    """A run, as the log says."""

    run: str
    """Run id."""
    case: str
    """Its case in the log."""
    began: str
    """UTC."""
    ended: str
    """UTC; empty where it has no end."""
    state: str
    """unfinished, stopped, awaiting_person, or what people did with it since."""
    pack: str
    """Name of the pack; ``erased`` where that is gone."""
    borrower: str
    """Borrower."""
    test_date: str
    """Legal date."""
    known_at: str
    """Knowledge date."""
    contract: str
    """Name and version of the task contract."""
    policy: str
    """SHA-256 of the contract's bytes."""
    result: str
    """pass, breach, not_tested or review; empty where there is none."""
    earlier: str
    """The run that this one does again with overrides."""
    codes: tuple[str, ...]
    """Codes of the decision and of steps that failed, sorted."""
    actors: tuple[str, ...]
    """Pseudonyms of those who acted, sorted."""
    models: tuple[str, ...]
    """Digests of models, sorted."""
    leaf: str
    """Hash of the record that ended it."""
    epoch: str = ""
    """The archive in which it is, such as ``epoch-0001``; empty for the present log."""


class Found(Frozen):
    """What a search gave."""

    runs: tuple[RunFound, ...]
    """The newest first."""
    count: int
    """How many there are in all."""


class Search(Service):
    """Looks into the log of a workspace."""

    def find(self, wanted: Mapping[str, str], most: int = 50) -> Found:
        """Runs of all epochs that fit every filter, the newest first, each read from the log and not from the index.

        Args:
            wanted: filter to value.
            most: how many at the most.

        Raises:
            UsageError: for a filter that there is not, an empty value, or a number of runs out of range.
            JournalError: when the log cannot be read.
        """
        odd = sorted(name for name, value in wanted.items() if name not in FILTERS or not value.strip())
        if odd:
            raise UsageError(f"{odd[0]!r} cannot be looked for so.", f"Filters: {', '.join(FILTERS)}, each with a value.")
        if not 1 <= most <= MOST:
            raise UsageError(f"{most} runs cannot be shown at once.", f"Ask for 1 to {MOST}.")
        runs: list[RunFound] = []
        count = 0
        for archive in (None, *archives_of(self._workspace)):
            with self._log(create=False, archive=archive) as log:
                rows, more = index_of(log).find(wanted, max(1, most - len(runs)))
            runs += [_found(row, epoch_name(archive)) for row in rows[: most - len(runs)]]
            count += more
        return Found(runs=tuple(runs), count=count)

    def prove(self, what: str) -> str:
        """The proof that a run's final record, or a record named by its hash, is under the newest checkpoint.

        Args:
            what: a run id, or the first 8 or more digits of a record's hash.

        Returns:
            The text of the proof (C2SP tlog-proof) with the record inside.

        Raises:
            UsageError: when there is no such run or record, or no checkpoint covers it yet.
            JournalError: when the log cannot be read.
        """
        return in_some_epoch(self._workspace, lambda archive: self._proof(what, archive))

    def _proof(self, what: str, archive: Path | None) -> str:
        with self._log(create=False, archive=archive) as log:
            place = self._place_of(log, what)
            with ours("read"):
                proof = proof_of(log, place)
                last = log.store.checkpoints.last()
        if proof is None:
            size = last.size if last is not None else 0
            raise UsageError(
                f"No checkpoint covers record {place} yet; the last one covers {size}.",
                "Publish the log first: the next run does.",
            )
        return proof.text

    def continues(self, first: int, second: int | None) -> str:
        """The proof that a checkpoint continues an earlier one (C2SP tlog-witness, add-checkpoint).

        Args:
            first: number of records of the earlier one.
            second: of the later one; None for the newest.

        Raises:
            UsageError: when the log has no such checkpoints.
            JournalError: when the log cannot be read.
        """
        with self._log(create=False) as log, ours("read"):
            proof = continuation_of(log, first, second)
            sizes = [row.size for row in log.store.checkpoints.every()]
        if proof is None:
            shown = ", ".join(map(str, sizes[-10:])) or "none"
            raise UsageError(f"The log has no checkpoints of {first} and {second or 'more'} records.", f"The last ones: {shown}.")
        return proof.text

    def _place_of(self, log: AuditLog, what: str) -> int:
        rows, _count = index_of(log).find({"run": what}, 1)
        if rows and not rows[0].leaf:
            raise UsageError(f"Run {what} has no end yet, and so no final record.", "Name a record of it by its hash.")
        with ours("read"):
            if rows:
                return next(record.idx for record in log.records(rows[0].case, what) if record.leaf == rows[0].leaf)
            places = [r.idx for r in log.records_from(0) if r.leaf.startswith(what)] if _LEAF.fullmatch(what) else []
        if len(places) != 1:
            many = f"{len(places)} records whose hash begins with {what}" if places else f"no run and no record {what!r}"
            raise UsageError(f"The log has {many}.", "List the runs with: conformed log list")
        return places[0]


def _found(row: RunRow, epoch: str) -> RunFound:
    return RunFound(
        run=row.run, case=row.case, began=row.began, ended=row.ended, state=row.state, pack=row.pack, borrower=row.borrower,
        test_date=row.test_date, known_at=row.known_at, contract=row.contract, policy=row.policy, result=row.result,
        earlier=row.earlier, codes=tuple(sorted(row.codes)), actors=tuple(sorted(row.actors)), models=tuple(sorted(row.models)),
        leaf=row.leaf, epoch=epoch,
    )  # fmt: skip
