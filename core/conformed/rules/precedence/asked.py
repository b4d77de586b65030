"""The covenant that is asked for, in the text of one chain: under the number that it has there (rule book PR-22)."""

from __future__ import annotations

from conformed.model.decision import Reason
from conformed.rules.instruments.chains import Chain
from conformed.rules.instruments.provisions import canonical_label
from conformed.rules.precedence.ground import Ground
from conformed.rules.precedence.outcome import known_covenants
from conformed.rules.precedence.redirect import new_number
from conformed.rules.precedence.slots import Choice, choose

__all__ = ["chosen", "lost_by_restatement"]


def chosen(ground: Ground, chain: Chain) -> Choice:
    """The covenants of a chain that are asked for; a number that a text of the chain has changed since is followed, and that is told.

    Args:
        ground: the case.
        chain: the agreement and what changes it.
    """
    question, known = ground.case.question, known_covenants(ground, chain)
    choice = choose(question, known)
    if not question.section or (choice.sections and "review_target_not_found" not in choice.codes):
        return choice
    for document in sorted(chain.documents & ground.numbers.keys()):
        section = new_number(ground, document, canonical_label(question.section))
        followed = choose(question.model_copy(update={"section": section}), known) if section else Choice(())
        if followed.sections:
            return Choice(followed.sections, (*followed.codes, "finding_numbering_drift"))
    return choice


def lost_by_restatement(ground: Ground, chains: tuple[Chain, ...]) -> list[Reason]:
    """Restatements in force that do not state the covenant asked for, though a text that they restated did (P22).

    Their new text may not be in the pack, or may have dropped the covenant: nothing says which.

    Args:
        ground: the case.
        chains: chains as they stand on the test date.
    """
    reasons = []
    for chain in chains:
        if chain.base is None or not chain.older:
            continue
        before = Chain(chain.older[-1], changes=chain.older)
        if choose(ground.case.question, known_covenants(ground, before)).sections:
            document = chain.base.document
            sentence = f"{document} restates the agreement, and the covenant was not found in the restated text."
            reasons.append(Reason(code="review_input_missing", sentence=sentence, subject=document))
    return reasons
