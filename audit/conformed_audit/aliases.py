"""Names that stand for weights, folded from records: what each stands for, who proposed and who confirmed, and what breaks the rules.

An alias has a case of its own, and the state of that case is the manifest hash for which the name stands. The rules, whoever
wrote the record and however: a move names a proposal of its case and the hash proposed; it follows the move that the proposal
followed, so that no two moves follow one; who confirms is another person than whoever proposed and than whoever used the final
set for it, they, everyone behind them and their accounts; a move back leads to a hash for which the name stood before. The final
set of a family of weights is used once, and each use is reported once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from conformed_audit.approvals import account_of
from conformed_audit.body import record_of
from conformed_audit.checks import Case
from conformed_audit.encode import JSON
from conformed_audit.finding import Bad, Classification
from conformed_audit.record import Actor, Kind, Record
from conformed_audit.seen import Seen

__all__ = [
    "ALIAS_CASE",
    "FINAL_CASE",
    "PROPOSED",
    "REPORTED",
    "USED",
    "Alias",
    "AliasCheck",
    "Aliases",
    "FinalUse",
    "Moved",
    "Proposed",
    "apart",
]

ALIAS_CASE = "weights:"
"""How the case of an alias begins; its name follows."""
FINAL_CASE = "final-set:"
"""How the case of a family of weights begins, in which the uses of final sets stand; its name follows."""
PROPOSED = "weights.proposed"
"""Step of the record of a proposal, and name of its item."""
USED = "final_set.used"
"""Step of the record of a use of a final set, and name of its item."""
REPORTED = "final_set.reported"
"""Step of the record of what a use of a final set gave, and name of its item."""
_HASH = re.compile("[0-9a-f]{64}")
_KINDS = frozenset({Kind.APPROVAL_REQUESTED, Kind.STATE_CHANGED})


@dataclass(frozen=True, slots=True)
class Proposed:
    """A proposal that an alias stand for other weights."""

    leaf: str
    """Name of its record, hex."""
    run: str
    """Its id, by which people name it."""
    actor: Actor
    """Who proposed."""
    ts: str
    """When, UTC."""
    to: str
    """SHA-256 of the manifest of the weights."""
    after: str
    """Leaf of the move after which it was proposed; empty where the alias stood for nothing."""
    back: str
    """Leaf of the move to whose hash it leads back; empty for new weights."""
    use: str
    """Leaf of the use of the final set that it rests on; empty for none."""
    record: Record
    """The whole record, with the commitments to what was looked at."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A move: somebody confirmed a proposal."""

    leaf: str
    """Name of its record, hex."""
    idx: int
    """Place in the log."""
    actor: Actor
    """Who confirmed."""
    role: str
    """In which role."""
    ts: str
    """When, UTC."""
    to: str
    """What the alias stands for since."""
    proposal: Proposed
    """What was confirmed."""


@dataclass(frozen=True, slots=True)
class FinalUse:
    """A use of a final set."""

    leaf: str
    """Name of its record, hex."""
    actor: Actor
    """Who used it."""
    ts: str
    """When, UTC."""
    family: str
    """Family of the weights."""
    data: str
    """SHA-256 of the data set whose final split it is."""
    manifest: str
    """SHA-256 of the manifest of the weights for which it was used."""
    before: str
    """SHA-256 of what was counted on all other splits by then."""


@dataclass(slots=True)
class Alias:
    """One alias."""

    proposals: dict[str, Proposed] = field(default_factory=dict)
    """Proposals by leaf, in order."""
    moves: list[Moved] = field(default_factory=list)
    """Moves, in order."""

    @property
    def stands_for(self) -> str:
        """The manifest hash; empty before the first move."""
        return self.moves[-1].to if self.moves else ""

    @property
    def last(self) -> str:
        """Leaf of the last move; empty before the first."""
        return self.moves[-1].leaf if self.moves else ""


class Aliases:
    """Follows records of aliases and final sets.

    Args:
        whole: whether the records of every epoch are taken, in order. Of a later epoch alone, the first move of an alias may follow
            one of an earlier epoch, and a proposal rest on what stands there.
    """

    def __init__(self, *, whole: bool) -> None:
        self.whole = whole
        """Whether what is not known cannot stand in an earlier epoch."""
        self.aliases: dict[str, Alias] = {}
        """By name, without the beginning of its case."""
        self.uses: dict[str, FinalUse] = {}
        """Uses of final sets by leaf, in order."""
        self.reported: dict[str, str] = {}
        """By leaf of a use: SHA-256 of what was found in it."""

    def take(self, record: Record) -> Bad | None:
        """Takes a record in, if it holds; says what is bad of it otherwise. Records of other cases are passed over."""
        if record.kind not in _KINDS:
            return None
        if record.case.startswith(ALIAS_CASE):
            alias = self.aliases.setdefault(record.case.removeprefix(ALIAS_CASE), Alias())
            return self._proposed(record, alias) if record.kind == Kind.APPROVAL_REQUESTED else self._moved(record, alias)
        if record.case.startswith(FINAL_CASE):
            return self._of_final(record, record.case.removeprefix(FINAL_CASE))
        return None

    def _proposed(self, record: Record, alias: Alias) -> Bad | None:
        if record.step != PROPOSED:
            return None  # an erasure that is asked for
        said = _said(record, PROPOSED)
        to, after, back, use = (_text(said, name) for name in ("manifest", "after", "back", "use"))
        bad = _by_a_person(record)
        if bad is None and not (_HASH.fullmatch(to) and record.run):
            bad = _bad("alias.proposal", "an id and the hash of a manifest", ascii(to)[:80])
        if bad is None and use and use not in self.uses and self.whole:
            bad = _bad("alias.final", "a use of the final set that is in the log", ascii(use)[:80])
        if bad is None:
            found = Proposed(record.leaf, record.run or "", record.actor, record.ts, to, after, back, use, record)
            alias.proposals[record.leaf] = found
        return bad

    def _moved(self, record: Record, alias: Alias) -> Bad | None:
        said, actor = record.approval or {}, record.actor
        proposal = alias.proposals.get(str(said.get("proposal")))
        bad = _by_a_person(record)
        if bad is None and (proposal is None or proposal.to != record.step or proposal.run != record.run):
            bad = _bad("alias.proposed", "a move to what was proposed in this case", ascii(record.step)[:80])
        if bad is not None or proposal is None:
            return bad
        if proposal.after != alias.last and (alias.moves or self.whole):
            return _bad("alias.after", alias.last or "the first move", proposal.after or "the first move")
        held = {one.leaf: one.to for one in alias.moves}
        if proposal.back and held.get(proposal.back, "" if self.whole else proposal.to) != proposal.to:
            return _bad("alias.back", "a hash for which the name stood before", proposal.to)
        if not apart(actor, proposal.actor):
            return _bad("alias.separation", "another person than whoever proposed", actor.id)
        if (use := self.uses.get(proposal.use)) is not None and not apart(actor, use.actor):
            return _bad("alias.separation", "another person than whoever used the final set", actor.id)
        if said.get("role") not in actor.roles or said.get("session") != actor.session:
            return _bad("alias.role", "a role and a session of the one who confirms", ascii(said.get("role"))[:80])
        alias.moves.append(Moved(record.leaf, record.idx, actor, str(said["role"]), record.ts, proposal.to, proposal))
        return None

    def _of_final(self, record: Record, family: str) -> Bad | None:
        if (bad := _by_a_person(record)) is not None:
            return bad
        if record.step == USED:
            said = _said(record, USED)
            data, manifest = _text(said, "data"), _text(said, "manifest")
            if any((one.family, one.data) == (family, data) for one in self.uses.values()):
                return _bad("final.once", "one use of a final set", "a second one")
            self.uses[record.leaf] = FinalUse(record.leaf, record.actor, record.ts, family, data, manifest, _text(said, "before"))
            return None
        if record.step == REPORTED:
            said = _said(record, REPORTED)
            use, counts = _text(said, "use"), _text(said, "counts")
            if use in self.reported or (self.whole and use not in self.uses):
                return _bad("final.reported", "one report of a use that is in the log", ascii(use)[:80])
            self.reported[use] = counts
            return None
        return _bad("final.step", f"{USED} or {REPORTED}", ascii(record.step)[:80])


class AliasCheck:
    """Aliases and final sets in the pass over a log: the rules of `Aliases`."""

    kinds: frozenset[str] | None = frozenset(map(str, _KINDS | {Kind.LOG_EPOCH}))

    def __init__(self) -> None:
        self._aliases = Aliases(whole=True)

    def follow(self, seen: Seen, leaf: bytes, idx: int, _cases: Mapping[str, Case], /) -> Bad | None:
        """Looks at one record."""
        if seen.kind == Kind.LOG_EPOCH:
            opening = any(isinstance(item["inline"], dict) and "before" in item["inline"] for item in seen.whole["output"])
            self._aliases.whole = self._aliases.whole and not opening
            return None
        if not seen.case.startswith((ALIAS_CASE, FINAL_CASE)):
            return None
        return self._aliases.take(record_of(idx, leaf.hex(), seen.whole))


def apart(one: Actor, other: Actor) -> bool:
    """Whether two are different people: no one in the chain of either is in that of the other, and their accounts differ."""
    first, second = ({who.id, *(who.on_behalf_of or "").split()} for who in (one, other))
    account = account_of(one.session)
    return not first & second and (not account or account != account_of(other.session))


def _said(record: Record, name: str) -> Mapping[str, JSON]:
    inline: Any = next((item.inline for item in record.output if item.name == name), None)
    return inline if isinstance(inline, Mapping) else {}


def _text(said: Mapping[str, JSON], name: str) -> str:
    found = said.get(name)
    return found if isinstance(found, str) else ""


def _by_a_person(record: Record) -> Bad | None:
    if record.actor.kind != "person":
        return _bad("alias.actor", "a person", record.actor.kind)
    allowed = record.authz is not None and record.authz.decision == "allow"
    return None if allowed else _bad("alias.authz", "allow", "none" if record.authz is None else record.authz.decision)


def _bad(check: str, expected: str, found: str) -> Bad:
    return Bad(check, expected, found, Classification.WRITER_BUG)
