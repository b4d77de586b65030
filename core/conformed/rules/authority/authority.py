"""Whether those who signed an instrument could make its change: lenders' consent, the power to correct, side letters (PR-20, PR-21).

What a person attests, or states as facts, goes before what the texts seem to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from conformed.language.traced import Traced
from conformed.model.operation import Op, Operation
from conformed.model.pack import Execution, Instrument, InstrumentKind
from conformed.rules.authority.consent import consent_codes, recites_share, stated_consent
from conformed.rules.authority.consent_class import Reserved, classes_named, needed_classes, reserved_classes
from conformed.rules.authority.corrections import corrects, power_to_correct, signed_by_both
from conformed.rules.precedence.targets import LEVELS

__all__ = ["Authority", "authority_of"]

K = InstrumentKind
_BASES = {K.FACILITY_AGREEMENT, K.RESTATEMENT}
_TESTS = LEVELS | {Op.TEMPORARY_LEVEL, Op.SUSPEND_TESTING, Op.WAIVE_TEST}
_NAMED = r"(?:Finance|Loan|Credit|Facility|Transaction)\s+Documents?"
_IS_ONE = re.compile(
    rf"\b(?:this|the)\s+(?:\w+\s+){{0,3}}letter\s+(?:is|shall\s+be|constitutes|shall\s+constitute)\s+(?:(?:hereby|designated|as|and|deemed|to\s+be|also)\s+)*an?\s+['\u2018\u201c\"]?{_NAMED}"
    rf"|\b(?:designat\w+|agree)\b[^.]{{0,80}}?\bletter\b[^.]{{0,40}}?\bas\s+an?\s+['\u2018\u201c\"]?{_NAMED}",
    re.IGNORECASE,
)
_NOT_ONE = re.compile(rf"\b(?:is|shall)\s+not\s+(?:be\s+|constitute\s+)?(?:an?\s+)?['\u2018\u201c\"]?{_NAMED}", re.IGNORECASE)
_LIST = re.compile(rf"[\"\u201c]{_NAMED}[\"\u201d]\s+means\b[^;.]{{0,900}}?\b[Ss]ide\s+[Ll]etter\b")


@dataclass(frozen=True, slots=True)
class Authority:
    """What the instruments of a case are held against.

    Attributes:
        texts: live text by document.
        reserved: what the agreements of the case reserve to a class of lenders.
        classes: every class of lenders that the agreements name.
        power: whether one of the agreements lets agent and borrower mend an error.
        listed: whether an agreement counts a side letter among its finance documents.
        changes: sections that each document changes, and whether it changes a covenant's level or test.
    """

    texts: Mapping[str, Traced]
    reserved: tuple[Reserved, ...]
    classes: frozenset[str]
    power: bool
    listed: bool
    changes: Mapping[str, tuple[tuple[str, ...], bool]]

    def consent(self, instrument: Instrument) -> tuple[str, ...]:
        """Review codes about the lenders' consent to one instrument; none where its execution is attested (PR-05)."""
        text = self.texts[instrument.document].text
        if instrument.execution_attested:
            return ()
        mends = instrument.kind is K.AMENDMENT and corrects(text)
        if mends and self.power and (instrument.consent is not None or signed_by_both(text)):
            return ()
        if instrument.consent is not None:
            return stated_consent(instrument.consent)
        if mends and not recites_share(text):
            # Agent and borrower alone, and no clause that lets them: the lenders were not asked.
            return ("review_consent_threshold_unproven",)
        sections, covenant = self.changes.get(instrument.document, ((), False))
        needed = needed_classes(self.reserved, sections, covenant=covenant)
        return consent_codes(text, needed, self.classes)

    def corrects(self, instrument: Instrument) -> bool:
        """Whether an instrument whose authority is not in doubt mends an error under a clause of the agreement."""
        return instrument.kind is K.AMENDMENT and self.power and corrects(self.texts[instrument.document].text)

    def side_letter(self, instrument: Instrument) -> tuple[str, ...]:
        """Review codes about a side letter: it operates as a finance document, or signed by the share that could amend."""
        text = self.texts[instrument.document].text
        known = instrument.finance_document
        if known is None:
            known = not _NOT_ONE.search(text) and (self.listed or _IS_ONE.search(text) is not None)
        if known:
            return ()
        enough = not stated_consent(instrument.consent) if instrument.consent is not None else _share(text)
        return () if enough else ("review_side_letter_authority",)


def _share(text: str) -> bool:
    """Whether a side letter itself recites the share of lenders; one that knows no lenders proves nothing."""
    return recites_share(text) and not _NOT_ONE.search(text)


def authority_of(known: Iterable[Instrument], views: Mapping[str, Traced], operations: Iterable[Operation]) -> Authority:
    """What the agreements of a case say of who can change them.

    Args:
        known: instruments that had come into being by the knowledge date.
        views: live text of each document.
        operations: what the documents were read to do.
    """
    bases = [i for i in known if i.kind in _BASES and i.execution is not Execution.DRAFT]
    texts = [views[i.document].text for i in bases]
    sections: dict[str, set[str]] = {}
    tests: dict[str, bool] = {}
    for o in operations:
        places = {o.target.section, *(t.section for t in o.terms)} - {""}
        sections.setdefault(o.document, set()).update(places)
        tests[o.document] = tests.get(o.document, False) or (o.op in _TESTS and bool(o.terms or o.limit or o.windows or places))
    return Authority(
        texts=views,
        reserved=tuple(r for t in texts for r in reserved_classes(t)),
        classes=frozenset(c for t in texts for c in classes_named(t)),
        power=any(power_to_correct(t) is not None for t in texts),
        listed=any(_LIST.search(t) is not None for t in texts),
        changes={d: (tuple(sorted(s)), tests.get(d, False)) for d, s in sections.items()},
    )
