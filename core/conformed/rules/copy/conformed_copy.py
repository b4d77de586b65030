"""The conformed copy: the covenant and the definitions that it uses, as they read on the test date, word by word with its origin."""

from __future__ import annotations

from conformed.model.codes import sentence_of
from conformed.model.covenant import Definition
from conformed.model.decision import Conformed, Reason
from conformed.model.operation import Op
from conformed.rules.copy.dictionary import Entry, dictionary_of, used_terms
from conformed.rules.copy.runs import Origins, once
from conformed.rules.instruments.chains import Chain
from conformed.rules.precedence.ground import Ground
from conformed.rules.precedence.state import State
from conformed.rules.precedence.targets import section_of

__all__ = ["conform"]

_MOST = 60


def conform(
    ground: Ground, chain: Chain, slot: str, state: State
) -> tuple[tuple[Conformed, ...], tuple[Definition, ...], tuple[Reason, ...]]:
    """The covenant's text and every definition it uses, transitively, on the test date.

    Args:
        ground: the case.
        chain: the agreement.
        slot: the covenant.
        state: the covenant's text and terms.

    Returns:
        The conformed copy; the definitions; findings (a definition not in the pack, or changed with the level unchanged).
    """
    section = section_of(slot)
    known = dictionary_of(ground, chain, ground.case.question.test_date)
    origins = Origins(ground.operations)
    copy = _covenant(ground, origins, section, state)
    start = "".join(r.text for c in copy for r in c.runs)
    if state.terms is not None:
        start += f" {state.terms.name} {state.terms.numerator} {state.terms.denominator}"
    queue = used_terms(start, known)
    seen: list[str] = []
    while queue and len(seen) < _MOST:
        term = queue.pop(0)
        if term not in seen:
            seen.append(term)
            queue += [t for t in used_terms(known[term].text.text, known) if t not in seen]
    copy += [known[t].conformed(origins) for t in seen]
    return tuple(copy), tuple(_definition(known[t]) for t in seen), _findings(state, known, seen, section)


def _covenant(ground: Ground, origins: Origins, section: str, state: State) -> list[Conformed]:
    """The covenant's own words, and the new table or level that stands beside words that were left."""
    if state.text is None:
        return []
    setter = state.setter
    heading = state.terms.caption if state.terms is not None else ""
    gone = once(r for _, text in state.superseded for r in origins.gone(text, state.text))
    copy = [Conformed(section=section, heading=heading, runs=origins.runs(state.text), superseded=gone)]
    if setter is not None and setter.op in {Op.REPLACE_TABLE, Op.REPLACE_ROW, Op.SET_LEVEL} and setter.payload:
        table = ground.text_of(setter.payload)
        told = table is not None and any(s.document.name == setter.document for s in state.text.segments)
        if table is not None and not told:
            copy.append(Conformed(section=f"{section} (level)", heading=heading, runs=origins.runs(table)))
    return copy


def _definition(entry: Entry) -> Definition:
    segments = entry.text.segments
    return Definition(
        term=entry.heading,
        text=entry.text.text,
        instrument=segments[0].document.name if segments else "",
        spans=entry.text.spans(),
    )


def _findings(state: State, known: dict[str, Entry], seen: list[str], section: str) -> tuple[Reason, ...]:
    found = [d for t in seen for d in known[t].doubts]
    terms = state.terms
    if terms is not None:
        names = [terms.numerator, terms.denominator] if terms.numerator else [terms.name]
        lacking = [n for n in names if n and not used_terms(n, known)]
        if lacking:
            sentence = f"Not defined in the pack: {', '.join(lacking)}."
            found.append(
                Reason(
                    code="finding_definition_not_in_pack", sentence=sentence, subject=section, spans=terms.spans.get("metric", ())
                )
            )
    changed = [known[t].heading for t in seen if known[t].changed]
    if changed:
        if state.setter is None or state.setter.op is Op.STATE_COVENANT:
            code = "finding_definition_changed"
            found.append(Reason(code=code, sentence=f"{sentence_of(code)} ({', '.join(changed)})", subject=section))
        if not any(d.code.startswith("review") for d in found):
            found.append(
                Reason(code="accept_definition_version", sentence=sentence_of("accept_definition_version"), subject=section)
            )
    return tuple(found)
