"""What the command line asks about names for weights: use the final set, propose, promote, list, show."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TypeVar

from conformed.app.binding import contract_path
from conformed.app.people.guard import Guard
from conformed.app.retention.epochs import archives_of
from conformed.app.service import Service
from conformed.app.weights.evidence import report_in, verified
from conformed.app.weights.final import record_use
from conformed.app.weights.gates import gates_named
from conformed.app.weights.history import Book
from conformed.app.weights.judging import Judgement
from conformed.app.weights.promoting import asked_for, promote
from conformed.app.weights.proposing import back_to, propose, propose_back
from conformed.app.weights.reporting import AliasRow, AliasShown, FinalUsed, Promoted, Proposal
from conformed.app.weights.rows import move_row, proposal_row, use_row
from conformed.engine.log import ours
from conformed.errors import JournalError, UsageError
from conformed.people.directory import Directory
from conformed.policy.load import load_model
from conformed.policy.schema import TaskContract
from conformed_audit import AlreadyRecordedError, AuditLog
from conformed_audit.publish import published_size

__all__ = ["WeightsDesk"]

T = TypeVar("T")
_TRIES = 5
_ALIAS = re.compile("[a-z0-9][a-z0-9._-]{0,63}")


class WeightsDesk(Service):
    """Names for weights of one workspace."""

    def final(self, folder: Path, report: Path, gates: str) -> FinalUsed:
        """Puts the final set to its one use: verified weights, every other gate passed. The record is written and published first.

        Args:
            folder: the weights.
            report: their evaluation on every other split.
            gates: name of the gates.

        Raises:
            ConformedError: when it may not be used; with whom and when it was used, where it was.
        """
        counted, _ = report_in(report)
        declared = gates_named(self._workspace.policies, gates)
        verified(folder, counted.manifest)

        def use(log: AuditLog, guard: Guard, book: Book) -> FinalUsed:
            also = book.also_used(counted.family, counted.dataset)
            record = record_use(guard, book, counted, declared)
            publication = self._published(log, record.case, record.leaf)
            written = self._book(log).use(record.leaf)
            assert written is not None
            return FinalUsed(
                use=use_row(written, guard.directory), publication=publication,
                also_used=tuple(use_row(one, guard.directory) for one in also),
            )  # fmt: skip

        return self._settled(use, create=True)

    def propose(self, alias: str, folder: Path, report: Path, gates: str, *, reason: str = "") -> Proposal:
        """Proposes weights for an alias. Proposing the same again writes nothing.

        Args:
            alias: the name.
            folder: the weights.
            report: their whole evaluation.
            gates: name of the gates.
            reason: why, for the record: no names of people.

        Raises:
            ConformedError: when they may not be proposed; it names each gate that was not passed.
        """
        _alias(alias)
        counted, data = report_in(report)
        declared = gates_named(self._workspace.policies, gates)
        verified(folder, counted.manifest)

        def ask(log: AuditLog, guard: Guard, book: Book) -> Proposal:
            record, judged, there = propose(log, guard, book, alias, counted, data, declared, reason)
            return Proposal(
                alias=alias, proposal=record.run or "", manifest=counted.manifest, present=book.alias(alias).stands_for, back=False,
                who=guard.directory.shown(record.actor.id), at=record.ts, judged=judged, already=there,
            )  # fmt: skip

        return self._settled(ask, create=True)

    def propose_back(self, alias: str, folder: Path, hash_: str, *, reason: str) -> Proposal:
        """Proposes that an alias stand again for weights for which it stood before.

        Args:
            alias: the name.
            folder: those weights.
            hash_: SHA-256 of their manifest, or its beginning.
            reason: why, for the record: no names of people.

        Raises:
            ConformedError: when it may not be proposed.
        """
        _alias(alias)

        def ask(_log: AuditLog, guard: Guard, book: Book) -> Proposal:
            to = back_to(book, alias, hash_)
            verified(folder, to.to)
            record, there = propose_back(guard, book, alias, to, reason)
            return Proposal(
                alias=alias, proposal=record.run or "", manifest=to.to, present=book.alias(alias).stands_for, back=True,
                who=guard.directory.shown(record.actor.id), at=record.ts, judged=(), already=there,
            )  # fmt: skip

        return self._settled(ask)

    def promote(self, alias: str, proposal: str, folder: Path) -> Promoted:
        """Confirms what another person proposed: everything is looked at again, and the alias is moved. Confirming again writes nothing.

        Args:
            alias: the name.
            proposal: id of the proposal.
            folder: the weights.

        Raises:
            ConformedError: when it may not be moved, or the log cannot be written.
        """
        _alias(alias)

        def confirm(log: AuditLog, guard: Guard, book: Book) -> Promoted:
            asked = asked_for(book, alias, proposal)
            moved = {one.proposal.leaf: one for one in book.alias(alias).moves}
            there = asked.leaf in moved
            judged: tuple[Judgement, ...] = ()
            if not there:
                judged = promote(log, guard, book, alias, asked, folder, self._workspace.policies)
                moved = {one.proposal.leaf: one for one in self._book(log).alias(alias).moves}
            move = moved[asked.leaf]
            before = next((one.to for one in book.alias(alias).moves if one.leaf == asked.after), "")
            shown = guard.directory.shown
            return Promoted(
                alias=alias, manifest=move.to, before=before, proposal=asked.run, proposed_by=shown(asked.actor.id),
                confirmed_by=shown(move.actor.id), at=move.ts, publication=self._published(log, asked.record.case, move.leaf), judged=judged, already=there,
            )  # fmt: skip

        return self._settled(confirm)

    def aliases(self) -> tuple[AliasRow, ...]:
        """Every alias, by name.

        Raises:
            ConformedError: when there is no log, or it breaks a rule.
        """
        with self._log(create=False) as log:
            book = self._book(log)
        rows = []
        for name in book.names:
            alias = book.alias(name)
            since = alias.moves[-1].ts if alias.moves else ""
            rows.append(
                AliasRow(
                    alias=name,
                    manifest=alias.stands_for,
                    since=since,
                    moves=len(alias.moves),
                    open=len(book.open_proposals(name)),
                )
            )
        return tuple(rows)

    def show(self, alias: str) -> AliasShown:
        """An alias with its history and evidence.

        Raises:
            ConformedError: when there is none of that name, or the log breaks a rule.
        """
        with self._log(create=False) as log:
            book = self._book(log)
        directory = Directory(self._workspace.people, self._pseudonyms)
        if alias not in book.names:
            raise UsageError(f"There is no name {alias!r} for weights.", f"Names: {', '.join(book.names) or 'none'}.")
        found = book.alias(alias)
        return AliasShown(
            alias=alias, manifest=found.stands_for,
            moves=tuple(move_row(one, book, directory) for one in reversed(found.moves)),
            open=tuple(proposal_row(one, book, directory) for one in book.open_proposals(alias)),
        )  # fmt: skip

    def _settled(self, do: Callable[[AuditLog, Guard, Book], T], *, create: bool = False) -> T:
        """Does something on what the log says; where somebody else wrote meanwhile, on what it says then."""
        with self._log(create=create) as log:
            contract = load_model(contract_path(self._workspace.policies, None), TaskContract)
            guard = self._guard(log, contract.value, contract.digest)
            for _ in range(_TRIES):
                try:
                    return do(log, guard, self._book(log))
                except AlreadyRecordedError:
                    continue
        raise JournalError("The log changes faster than it can be decided on.", "Try again.")

    def _book(self, log: AuditLog) -> Book:
        """What the log and those of earlier epochs say now."""
        with ExitStack() as opened:
            earlier = [opened.enter_context(self._log(archive=place)) for place in reversed(archives_of(self._workspace))]
            return Book((*earlier, log))

    def _published(self, log: AuditLog, case: str, leaf: str) -> str:
        """Publishes the log, and says whether somebody outside holds a checkpoint over a record."""
        self.publish_log(log)
        with ours("read"):
            size = published_size(log, self.outside_sinks(log))
            place = next(one.idx for one in log.records(case) if one.leaf == leaf)
        return "published" if 0 <= place < size else "pending"


def _alias(name: str) -> None:
    if not _ALIAS.fullmatch(name):
        raise UsageError(f"{name!r} is no name for weights.", "Take small letters, digits, dots, dashes: extractor-small.")
