"""Foreign currency by the agreement's own words: rate, day or averaging period, source and direction (rule book 4.7)."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable

from conformed.language.conversion import Conversion
from conformed.language.labels import is_flow
from conformed.model.calculation import Figure
from conformed.rules.calculation.worksheet import Worksheet, base_name

__all__ = ["RATE", "Rates", "convert_lines"]

RATE = re.compile(r"(?P<quote>[a-z]{3})_per_(?P<base>[a-z]{3})(?:_(?P<kind>average|closing|fixed))?")
"""Names of rates: the direction and the kind are part of the name, and so of the unit."""


class Rates:
    """Rates that the certificate gives, each used only where the agreement's words call for it."""

    def __init__(self, sheet: Worksheet, clauses: Iterable[Conversion], day: dt.date, target: str) -> None:
        self._sheet, self._clauses, self._day, self.target = sheet, tuple(clauses), day, target
        self._rates = [(match, f) for part, f in sheet.lines if (match := RATE.fullmatch(part)) is not None]

    def convert(self, figure: Figure, part: str, what: str) -> Figure | None:
        """A figure in the target currency; None where agreement or evidence do not fix how, with the reason said.

        Args:
            figure: an amount in another currency.
            part: name of its part, of which the name of the step is made.
            what: ``debt``, ``cash`` or ``earnings``.
        """
        assert figure.currency is not None
        fixed = self._fixed(figure.currency)
        if fixed is not None:
            return self._at(figure, part, fixed)
        wanted = [c for c in self._clauses if c.kind != "fixed" and (not c.of or what in c.of)]
        kinds = {c.kind for c in wanted}
        pair = f"{figure.currency} into {self.target}"
        if len(kinds) != 1 or "" in kinds:
            self._open(figure, f"The agreement does not fix at which rate {what} is converted from {pair}.")
            return None
        if not any(c.source for c in wanted):
            self._open(figure, f"The agreement does not say from which source the rate of {pair} is taken.")
            return None
        kind, clause = kinds.pop(), next(c for c in wanted if c.source)
        found = [
            (m, f)
            for m, f in self._rates
            if {m["quote"].upper(), m["base"].upper()} == {figure.currency, self.target} and m["kind"] == kind
        ]
        if len({(m["quote"], f.value) for m, f in found}) > 1:
            self._open(figure, f"The certificate gives more than one {kind} rate of {pair}.")
            return None
        if not found:
            self._open(figure, f"The certificate gives no {kind} rate of {pair} with its direction.")
            return None
        _, rate = found[0]
        if rate.as_of != self._day:
            self._open(figure, f"The {kind} rate of {pair} is not shown to be for {self._day.isoformat()}.")
            return None
        if not _fits(clause.source, rate.label):
            self._open(figure, f"The certificate does not show that its rate of {pair} is that of: {_short(clause.source)}.")
            return None
        return self._at(figure, part, rate.model_copy(update={"spans": tuple(dict.fromkeys((*rate.spans, *clause.spans)))}))

    def _fixed(self, currency: str) -> Figure | None:
        """The fixed rate of a redenomination between a currency and the target, in force on the test date."""
        for c in self._clauses:
            if c.rate is not None and {c.quote, c.base} == {currency, self.target} and (c.since is None or c.since <= self._day):
                name = f"{c.quote.lower()}_per_{c.base.lower()}_fixed"
                return Figure(
                    name=name, label="fixed rate of the agreement", value=c.rate, raw=c.raw, as_of=self._day, spans=c.spans
                )
        return None

    def _at(self, figure: Figure, part: str, rate: Figure) -> Figure:
        """A figure at a rate: times it where the figure is in what one unit is turned, else divided by it."""
        match = RATE.fullmatch(base_name(rate.name))
        assert match is not None
        sheet, sign = self._sheet, "*" if match["base"].upper() == figure.currency else "/"
        sheet.use(rate)
        made = sheet.derive(f"{part}_in_{self.target.lower()}", f"{figure.name} {sign} {rate.name}", (figure,))
        step = sheet.steps[-1]
        sheet.steps[-1] = step.model_copy(update={"unit": self.target})
        return made.model_copy(update={"currency": self.target})

    def _open(self, figure: Figure, sentence: str) -> None:
        self._sheet.say("review_fx_basis_missing", sentence, (figure,))


def _short(words: str) -> str:
    return words if len(words) <= 60 else words[:57] + "..."


def _fits(source: str, label: str) -> bool:
    """Whether a rate's label names the agreement's source: by any longer word of it."""
    words = set(re.findall(r"[a-z]{4,}", source.lower())) - {
        "rate",
        "rates",
        "exchange",
        "average",
        "closing",
        "period",
        "such",
        "that",
        "currency",
    }
    stems = {w[:7] for w in words}
    return any(w[:7] in stems for w in re.findall(r"[a-z]{4,}", label.lower()))


def convert_lines(sheet: Worksheet, clauses: Iterable[Conversion], day: dt.date) -> Rates | None:
    """Puts every line into the currency of earnings, and gives the rates for ceilings that are in another one.

    Nothing is done, and None given, where all lines are in one currency.
    """
    money = [(part, f) for part, f in sheet.lines if f.currency not in (None, "XXX") and f.value != 0]
    codes = {f.currency for _, f in money}
    home = {f.currency for part, f in money if is_flow(part)}
    if len(home) != 1:
        return None  # more than one currency of earnings: the check of currencies says so
    target = home.pop()
    assert target is not None
    rates = Rates(sheet, clauses, day, target)
    if codes <= {target}:
        return rates
    lines = []
    for part, figure in sheet.lines:
        foreign = figure.currency not in (None, "XXX", target) and figure.value != 0
        takes = part.startswith(("debt_", "total_debt", "first_lien_", "secured_", "senior_", "recon_debt")) or "cash" in part
        if foreign and takes and not part.startswith("stated_"):
            what = "cash" if "cash" in part else "debt"
            lines.append((part, rates.convert(figure, _free(sheet, part), what) or figure))
        else:
            lines.append((part, figure))
    sheet.lines = lines
    return rates


def _free(sheet: Worksheet, part: str) -> str:
    """A name for a step that no step has yet: two lines of one part may be in one currency."""
    taken, count, name = {step.name.partition("_in_")[0] for step in sheet.steps}, 1, part
    while name in taken:
        count += 1
        name = f"{part}_{count}"
    return name
