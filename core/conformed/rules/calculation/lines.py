"""The certificate's own results, line by line, against the same lines worked again by rule."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from conformed.language.currency import UNKNOWN
from conformed.model.calculation import Figure, LineCheck
from conformed.rules.calculation.compare import show_decimal
from conformed.rules.calculation.formula import round_up_half
from conformed.rules.calculation.inputs import rank_of
from conformed.rules.calculation.worksheet import Worksheet, amount

__all__ = ["check_lines", "places_as_written", "stated_ratios"]

_PAIRS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("total_debt", ("debt_summed",)),
    ("stated_eligible_cash", ("netted_cash", "eligible_cash")),
    ("stated_net_debt", ("tested_debt",)),
    ("stated_base_ebitda", ("ebitda_base",)),
    ("stated_addbacks", ("addbacks_allowed",)),
    ("ebitda", ("ebitda_computed",)),
)
"""A stated line, and the steps that give the same: the first that was written counts."""


def places_as_written(raw: str) -> int:
    """Decimals of a ratio as written: two of ``3.50 to 1.00``, ``3.50x`` and ``3.50:1``."""
    if "." not in raw:
        return 0
    return len(raw.partition(".")[2].split(" ")[0].split(":")[0].rstrip("xX"))


def stated_ratios(sheet: Worksheet, metric: str, kind: str = "ratio") -> tuple[Figure, ...]:
    """Ratios (or required levels) that the certificate states for a metric's ranking, zero left out."""
    rank = rank_of(metric)
    ranked = sheet.named(f"{kind}_{rank}") if rank else ()
    return tuple(figure for figure in ranked or sheet.named(kind) if figure.value != 0)


def _money_lines(sheet: Worksheet) -> Iterator[LineCheck]:
    steps = {step.name: step for step in sheet.steps}
    several = any(name.startswith("addbacks_allowed_") for name in steps)
    for stated_name, names in _PAIRS:
        step = next((steps[name] for name in names if name in steps), None)
        stated = [f for f in sheet.named(stated_name) if f.currency is not None]
        if step is None or not stated or (stated_name == "stated_addbacks" and several) or len({f.value for f in stated}) > 1:
            continue
        figure = stated[0]
        if figure.currency not in (step.unit, UNKNOWN) and step.unit:
            continue  # a line in another currency is not the same line
        agrees = abs(figure.value - step.value) <= max(figure.scale, 1)
        yield LineCheck(
            name=step.name,
            label=figure.label,
            stated=figure.value,
            recalculated=step.value,
            agrees=agrees,
            spans=figure.spans[:1],
        )


def check_lines(sheet: Worksheet, metric: str, currency: str | None) -> tuple[LineCheck, ...]:
    """Every line of the certificate that states a result, beside its recalculation; one finding for all that differ.

    Args:
        sheet: the finished calculation.
        metric: the covenant's metric.
        currency: of the inputs.
    """
    found = list(_money_lines(sheet))
    values = sheet.values()
    said = []
    stated = stated_ratios(sheet, metric)
    if "ratio" in values and len({f.value for f in stated}) == 1:
        figure, ratio = stated[0], values["ratio"]
        places = places_as_written(figure.raw)
        agrees = round_up_half(ratio, places) == figure.value
        found.append(
            LineCheck(
                name="ratio", label=figure.label, stated=figure.value, recalculated=ratio, agrees=agrees, spans=figure.spans[:1]
            )
        )
        if not agrees:
            said.append(
                f"The certificate states {figure.raw}; recalculated, the ratio is {_apart(ratio, figure.value, max(2, places))}x."
            )
    said += [
        f"Its line {line.label!r} says {amount(line.stated, currency)}; recalculated, it is {amount(line.recalculated, currency)}."
        for line in found
        if not line.agrees and line.name != "ratio"
    ]
    if said:
        spans = tuple(span for line in found if not line.agrees for span in line.spans)
        sheet.say("finding_certificate_ratio_differs", " ".join(said), spans=spans)
    return tuple(found)


def _apart(ratio: Fraction, stated: Fraction, places: int) -> str:
    """The ratio with the fewest decimals at which it differs from what is stated."""
    enough = next((n for n in range(places, 7) if round_up_half(ratio, n) != stated), 6)
    return show_decimal(ratio, enough)
