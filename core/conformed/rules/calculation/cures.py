"""A cure as a second calculation: the least amount, rounded up to what can be paid, and the ratio with it (CA-53, P40)."""

from __future__ import annotations

from fractions import Fraction

from conformed.language.agreement import CureTerms
from conformed.model.calculation import Cure, Figure
from conformed.model.covenant import Comparator
from conformed.rules.calculation.compare import compare
from conformed.rules.calculation.formula import run_steps
from conformed.rules.calculation.worksheet import Worksheet

__all__ = ["cure_of"]

_DECIMALS = {"JPY": 0, "HUF": 0}
_MAXIMUM = (Comparator.LE, Comparator.LT)


def cure_of(
    sheet: Worksheet, cure: CureTerms | None, comparator: Comparator, currency: str | None, paid_in: Figure | None = None
) -> Cure | None:
    """The second calculation of a ratio above its maximum; None where there is no right to cure, or it does not say how money counts.

    Under "less than" the least amount is the least payable that brings the ratio below the level. Cash that comes in is not
    netted from debt in the same test. The first result stays as it is.

    Args:
        sheet: the finished calculation, with ``tested_debt``, ``ebitda_tested`` and ``level``.
        cure: the right to cure.
        comparator: the covenant's.
        currency: of the inputs.
        paid_in: the amount that papers beside the certificate show; it goes before the one that the certificate claims. Whether
            its conditions are met is judged beside the result (``conformed.rules.beside.beside``).
    """
    values = sheet.values()
    if cure is None or cure.kind == "" or comparator not in _MAXIMUM or values.get("level", Fraction(0)) <= 0:
        return None
    places = _DECIMALS.get(currency or "", 2)
    unit = currency or ""
    as_earnings = cure.kind == "ebitda"
    gap = "tested_debt / level - ebitda_tested" if as_earnings else "tested_debt - level * ebitda_tested"
    lines = [("least_cure", gap, unit), ("least_cure_payable", f"ceil_to(least_cure, {places})", unit)]
    name = "least_cure_payable"
    steps = run_steps(values, lines)
    if steps[0].value <= 0 and comparator is Comparator.LE:
        return None
    if comparator is Comparator.LT and steps[0].value == steps[1].value:  # exactly at the level is not below it
        smallest = "1" if places == 0 else f"1 / {10**places}"
        lines.append(("least_cure_below", f"least_cure_payable + {smallest}", unit))
        name = "least_cure_below"
    claimed = (paid_in,) if paid_in is not None else sheet.named("cure_amount")
    paid = name
    if claimed:
        figure = sheet.use(claimed[0])
        values, paid = sheet.values(), figure.name
    cured = f"tested_debt / (ebitda_tested + {paid})" if as_earnings else f"(tested_debt - {paid}) / ebitda_tested"
    steps = run_steps(values, [*lines, ("cured_ratio", cured, "x")])
    found = {step.name: step.value for step in steps}
    met = compare(found["cured_ratio"], comparator, values["level"])
    amount: Figure | None = claimed[0] if claimed else None
    return Cure(
        kind=cure.kind,
        steps=steps,
        least=found[name],
        claimed=amount.value if amount else None,
        ratio=found["cured_ratio"],
        met=met,
    )
