"""Which covenant is asked for: by name, by section, or both; none or two is said, never guessed."""

from __future__ import annotations

from dataclasses import dataclass

from conformed.language.subjects import expected_direction, name_tokens
from conformed.model.covenant import CovenantTerms
from conformed.model.pack import Question
from conformed.rules.instruments.provisions import canonical_label

__all__ = ["Choice", "choose", "same_place", "score_name"]

_RANKS = frozenset({"senior", "secured", "unsecured", "first", "second", "lien", "junior", "subordinated", "priority", "super"})


@dataclass(frozen=True, slots=True)
class Choice:
    """Sections chosen, with codes of what was odd about it.

    Attributes:
        sections: provisions that fit; more than one is a question for the person.
        codes: findings and review codes.
    """

    sections: tuple[str, ...]
    codes: tuple[str, ...] = ()


def same_place(asked: str, section: str) -> bool:
    """Whether a provision is the one asked for, or lies directly inside it (``5.03`` and ``5.03(a)``)."""
    asked, section = canonical_label(asked), canonical_label(section.partition("#")[0])
    return section == asked or section.startswith(asked + "(")


def score_name(asked: str, terms: CovenantTerms) -> int:
    """How well a name fits: 3 the same words, 2 all of the asked words in name or caption, 1 in all that is known, 0 not."""
    want = name_tokens(asked)
    if not want:
        return 0
    name, caption = name_tokens(terms.name), name_tokens(terms.caption)
    sides = name_tokens(f"{terms.numerator} {terms.denominator}") if terms.numerator else frozenset()
    if want in (name, caption, sides):
        return 3
    if (name and want <= name) or (caption and want <= caption) or (sides and want <= sides):
        return 2
    everything = name | caption | sides
    return 1 if want <= everything else 0


def _contradicts(asked: str, terms: tuple[CovenantTerms, ...]) -> bool:
    """Whether the name asked for and the covenant at the section are of opposite sense (debt against cover): no slip of the pen."""
    wanted = expected_direction(asked)
    found = {expected_direction(t.name, t.numerator, t.denominator) for t in terms} - {""}
    return bool(wanted) and bool(found) and wanted not in found


def _ranked(asked: str, terms: tuple[CovenantTerms, ...]) -> bool:
    """Whether the covenant found ranks the debt that it counts where the name asked for does not: another ratio, perhaps."""
    want = name_tokens(asked)
    return not any(_RANKS & name_tokens(t.name) <= want for t in terms)


def choose(question: Question, known: dict[str, tuple[CovenantTerms, ...]]) -> Choice:
    """Chooses among the covenants of a chain.

    Args:
        question: what the person typed.
        known: covenants by section, each with every reading of it.
    """
    scores = (
        {s: max((score_name(question.covenant, t) for t in terms), default=0) for s, terms in known.items()}
        if question.covenant
        else {}
    )
    best = max(scores.values(), default=0)
    by_name = tuple(sorted(s for s, v in scores.items() if v == best and v > 0))
    if question.section:
        by_section = tuple(sorted(s for s in known if same_place(question.section, s)))
        if not by_section:
            return Choice(by_name, ("review_target_not_found",)) if by_name else Choice((), ("review_no_covenant_found",))
        if not question.covenant:
            return Choice(by_section)
        both = [s for s in by_section if scores[s] > 0]
        if both:
            top = max(scores[s] for s in both)
            return Choice(tuple(s for s in both if scores[s] == top))
        if len(by_section) != 1:
            return Choice(by_section)
        codes: tuple[str, ...] = ("finding_section_over_name",)
        if _contradicts(question.covenant, known[by_section[0]]):
            codes = (*codes, "review_metric_ambiguous")
        return Choice(by_section, codes)
    if question.covenant:
        if not by_name:
            return Choice((), ("review_no_covenant_found",))
        ranked = all(_ranked(question.covenant, known[s]) for s in by_name)
        return Choice(by_name, ("review_metric_ambiguous",) if ranked else ())
    leverage = tuple(sorted(s for s, terms in known.items() if any(t.metric.endswith("leverage") for t in terms)))
    return Choice(leverage) if leverage else Choice((), ("review_no_covenant_found",))
