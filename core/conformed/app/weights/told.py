"""Answers about names for weights, as lines for a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conformed.app.weights.reporting import AliasRow, AliasShown, FinalUsed, Promoted, Proposal, ProposalRow, UseRow

__all__ = ["final_lines", "listed_lines", "promoted_lines", "proposed_lines", "shown_lines"]


def final_lines(found: FinalUsed) -> Iterator[str]:
    """The use of a final set, and what to do with it."""
    yield f"Use       {found.use.use}"
    yield f"Set       final split of the data {found.use.dataset}, for the family {found.use.family}"
    yield f"Weights   {found.use.manifest}"
    yield f"By        {found.use.who}, {found.use.at}; {found.publication}"
    for one in found.also_used:
        yield f"Beware    the same set was used for {one.family} by {one.who} on {one.at}: it is not seen for the first time"
    yield "Next      evaluate these weights on the final split, and write the use into their report as final_use"


def proposed_lines(found: Proposal) -> Iterator[str]:
    """A proposal, and what another person types."""
    yield f"Proposal  {found.proposal}{' (it was there already; nothing was written)' if found.already else ''}"
    yield f"Alias     {found.alias}, which stands for {found.present or 'nothing yet'}"
    yield f"Weights   {found.manifest}{', for which it stood before' if found.back else ''}"
    yield f"By        {found.who}, {found.at}"
    if not found.back:
        yield f"Gates     all {len(found.judged)} passed"
    yield f"Next      another person confirms it: conformed weights promote {found.alias} {found.proposal} FOLDER"


def promoted_lines(found: Promoted) -> Iterator[str]:
    """A move, and the hash to name in a contract."""
    yield f"Alias     {found.alias}"
    yield f"Weights   {found.manifest}    (name this hash in a contract)"
    yield f"Before    {found.before or 'nothing'}"
    yield f"By        proposed by {found.proposed_by}, confirmed by {found.confirmed_by}, {found.at}; {found.publication}"
    if found.already:
        yield "Written   nothing: it was confirmed already"
    elif found.judged:
        yield f"Gates     all {len(found.judged)} passed"


def listed_lines(rows: Sequence[AliasRow]) -> Iterator[str]:
    """The list."""
    if not rows:
        yield "There is no name for weights yet."
    for row in rows:
        waits = f"  {row.open} waiting to be confirmed" if row.open else ""
        yield f"{row.alias:<24} {row.manifest or 'nothing yet'}  {row.since[:16]}{waits}".rstrip()


def shown_lines(found: AliasShown) -> Iterator[str]:
    """An alias: the hash first, then proposals that wait, then its moves with their evidence."""
    yield f"{found.alias} stands for {found.manifest or 'nothing yet'}"
    if found.manifest:
        yield f"In a contract: manifest: {found.manifest}"
    for one in found.open:
        yield f"Waiting   {one.proposal}: {one.manifest}"
        yield from _evidence(one)
        yield from (f"    {'passed' if each.passed else 'FAILED'} {each.words}" for each in one.judged if each.by != "point")
    for number, move in zip(range(len(found.moves), 0, -1), found.moves, strict=True):
        yield f"Move {number}    {move.at[:16]}  {move.manifest}"
        yield f"  confirmed by {move.who} as {move.role.replace('_', ' ')}; record {move.leaf}"
        yield from _evidence(move.proposal)


def _evidence(one: ProposalRow) -> Iterator[str]:
    back = ", back to weights for which it stood before" if one.back else ""
    yield f"  proposed by {one.who} {one.at[:16]} as {one.proposal}{back}{f': {one.reason}' if one.reason else ''}"
    yield f"  family {one.family}, run {one.run}, data {one.dataset[:12]}, report {one.report[:12]}, gates {one.gates} ({one.gates_sha256[:12]})"
    if one.final is not None:
        yield from _use(one.final)
    if one.judged:
        yield f"  gates: {sum(each.passed for each in one.judged)} of {len(one.judged)} passed"


def _use(use: UseRow) -> Iterator[str]:
    yield f"  final set used by {use.who} {use.at[:16]}, record {use.use[:12]}"
