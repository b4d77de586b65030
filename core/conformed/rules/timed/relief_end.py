"""Whether a suspension that can end early did: a notice that ends it, or a paper that says that none was given (rule book P39, PR-40).

Silence is not evidence (rule G4): without either the early end stays open.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass

from conformed.language.dates import find_dates
from conformed.model.dates import Window
from conformed.model.operation import Operation
from conformed.model.pack import Execution, InstrumentKind
from conformed.rules.precedence.ground import Ground

__all__ = ["EarlyEnd", "early_end"]

K = InstrumentKind
_SPEAK = {K.NOTICE, K.OTHER, K.CONDITION_NOTICE}
_NAME = r"(?:[A-Z][\w-]*\s+){1,4}Period|[Cc]ovenant\s+[Hh]oliday|[Rr]elief\s+[Pp]eriod|[Ss]uspension"
_ENDS = re.compile(
    rf"\b(?:elects?|elected|notif(?:y|ies|ied)|hereby|gives?\s+notice)\b[^.;]{{0,160}}\b(?:end|ends|terminate|terminates|terminating|cease|ceases|bring\s+to\s+an\s+end)\b[^.;]{{0,80}}?(?:{_NAME})"
    rf"|(?:{_NAME})[^.;]{{0,60}}\b(?:ends|is\s+(?:hereby\s+)?(?:ended|terminated)|shall\s+end|terminates)\b"
)
_NOT = re.compile(r"\b(?:not|no|never|nor|may|if|unless|until|propos\w+|intend\w*|consider\w*|draft)\b", re.IGNORECASE)
_NONE = re.compile(
    r"\b(?:no\s+(?:such\s+)?(?:election\s+|termination\s+)?(?:notice|election)\b[^.;]{0,160}?\b(?:was|were|has\s+been|had\s+been)\s+(?:received|given|delivered|made)\b"
    r"|(?:has|have|had)\s+(?:not\s+received|received\s+no|not\s+given|given\s+no)\s+(?:any\s+|a\s+|such\s+)*(?:election\s+|termination\s+)?(?:notice|election)\b)",
    re.IGNORECASE,
)
_PERIOD = re.compile(r"(?:[A-Z][\w-]*\s+){1,3}Period")
_RELIEF = r"\brelief\b|\bholiday\b|\bsuspen"
_STOP = re.compile(r"(?<=[a-z0-9)\"])[.;]\s+(?=[A-Z(])|\n\s*\n")


@dataclass(frozen=True, slots=True)
class EarlyEnd:
    """What the papers show of an early end.

    Attributes:
        ended: the day on which a notice that is shown ended it.
        denied: the last day for which a paper says that no such notice had come.
    """

    ended: dt.date | None = None
    denied: dt.date | None = None

    def ruled_out(self, test: dt.date) -> bool:
        """Whether nothing had ended it by a day."""
        return self.denied is not None and self.denied >= test and (self.ended is None or self.ended > test)

    def cut(self, window: Window) -> Window:
        """A window that ends with the notice; on the day of the notice itself the words do not say."""
        if self.ended is None or (window.end is not None and window.end < self.ended):
            return window
        return window.model_copy(update={"end": self.ended, "end_unclear": True})


def early_end(ground: Ground, operation: Operation) -> EarlyEnd:
    """Looks for a notice that ended a suspension, or for the word that none was given, among the papers that were known.

    A paper speaks of it where it names its period, or a relief, a holiday or a suspension: other periods end too.
    """
    told = " ".join(" ".join(span.text.split()) for span in operation.instruction)
    about = re.compile("|".join([*(re.escape(n) for n in sorted(set(_PERIOD.findall(told)))), _RELIEF]), re.IGNORECASE)
    ended: list[dt.date] = []
    denied: list[dt.date] = []
    for paper in ground.admitted.known:
        if paper.kind not in _SPEAK or paper.dated is None or paper.execution is Execution.DRAFT:
            continue
        text = ground.views[paper.document].text
        if len(text) > 40_000 or not about.search(" ".join(text.split())):
            continue
        start = 0
        for stop in [*(m.end() for m in _STOP.finditer(text)), len(text)]:
            sentence, start = text[start:stop], stop
            if _NONE.search(sentence):
                denied.append(paper.dated)
            elif (
                _ENDS.search(sentence)
                and about.search(" ".join(sentence.split()))
                and not _NOT.search(sentence)
                and paper.execution is Execution.EXECUTED
            ):
                days = [t.date for t in find_dates(sentence) if t.date >= paper.dated]
                ended.append(days[0] if len(days) == 1 else paper.dated)
    if len(set(ended)) > 1:
        return EarlyEnd()  # two notices of different days leave everything open
    return EarlyEnd(ended=ended[0] if ended else None, denied=max(denied, default=None))
