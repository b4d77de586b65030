"""The sheet on which one calculation is built: figures taken in, lines written, reasons collected."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from conformed.model.calculation import Certificate, Figure, Step
from conformed.model.codes import sentence_of
from conformed.model.decision import Reason
from conformed.model.span import Span
from conformed.rules.calculation.formula import run_steps

__all__ = ["Worksheet", "amount", "base_name", "rounding_unit"]


def base_name(name: str) -> str:
    """The name of a figure without the number that keeps repeats apart (``interest__2``)."""
    return name.partition("__")[0]


def rounding_unit(figures: Iterable[Figure]) -> Fraction:
    """The unit to which a statement's own figures are rounded: the largest scale among them (rule CA-13)."""
    return Fraction(max((figure.scale for figure in figures), default=1))


def amount(value: Fraction, currency: str | None) -> str:
    """An amount in a sentence for people: grouped digits, the exact fraction where it is not a whole number."""
    shown = f"{value.numerator:,}" if value.denominator == 1 else str(value)
    return f"{currency} {shown}" if currency and currency != "XXX" else shown


@dataclass(slots=True)
class Worksheet:
    """Figures, lines and reasons of one calculation, in the order in which they come.

    Attributes:
        certificate: the paper that the figures come from.
        lines: its lines as the calculation sees them, each under the name of its part: figures as written, and those that a
            step has made of them (twelve months of several periods, one currency of another).
        figures: inputs that were taken in.
        steps: lines of the trace.
        reasons: what was found.
    """

    certificate: Certificate
    lines: list[tuple[str, Figure]] = field(default_factory=list)
    figures: dict[str, Figure] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    reasons: list[Reason] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.lines:
            self.lines = [(base_name(figure.name), figure) for figure in self.certificate.figures]

    def named(self, name: str) -> tuple[Figure, ...]:
        """All lines of a name, repeats included."""
        return tuple(figure for part, figure in self.lines if part == name)

    def group(self, prefix: str) -> tuple[Figure, ...]:
        """All lines whose part has a prefix, in the certificate's order."""
        return tuple(figure for part, figure in self.lines if part.startswith(prefix))

    def take(self, name: str) -> Figure | None:
        """The line of a name, taken into the calculation; None where there is none.

        Two lines of one name with different values are a conflict, and the first is taken so that the rest can be shown.
        """
        found = self.named(name)
        if not found:
            return None
        if len({figure.value for figure in found}) > 1:
            values = " and ".join(figure.raw for figure in found)
            self.say("review_input_conflict", f"The certificate gives different values for {found[0].label!r}: {values}.", found)
        return self.use(found[0])

    def use(self, figure: Figure) -> Figure:
        """Takes one figure into the calculation; one that a step has made is there already."""
        if all(step.name != figure.name for step in self.steps):
            self.figures.setdefault(figure.name, figure)
        return figure

    def derive(self, name: str, expression: str, of: Iterable[Figure]) -> Figure:
        """Writes a step and gives its result as a line with the label, scale and places of what it was made of."""
        parts = tuple(of)
        first = parts[0]
        for part in parts:
            self.use(part)
        value = self.step(name, expression, first.currency or "")
        spans = tuple(dict.fromkeys(span for part in parts for span in part.spans))
        return first.model_copy(
            update={
                "name": name,
                "value": value,
                "months": None,
                "as_of": self.certificate.test_date,
                "spans": spans,
                "scale": max(part.scale for part in parts),
            }
        )

    def say(self, code: str, sentence: str = "", figures: Iterable[Figure] = (), spans: tuple[Span, ...] = ()) -> None:
        """Adds a reason once for each code and sentence."""
        places = spans or tuple(figure.spans[0] for figure in figures if figure.spans)
        reason = Reason(code=code, sentence=sentence or sentence_of(code), subject="calculation", spans=places)
        if reason not in self.reasons:
            self.reasons.append(reason)

    def step(self, name: str, expression: str, unit: str = "") -> Fraction:
        """Writes one line and gives its exact value."""
        (step,) = run_steps(self.values(), [(name, expression, unit)])
        self.steps.append(step)
        return step.value

    def values(self) -> dict[str, Fraction]:
        """Exact values of all names so far."""
        values = {name: figure.value for name, figure in self.figures.items()}
        values.update({step.name: step.value for step in self.steps})
        return values

    def stops(self) -> bool:
        """Whether any reason sends the run to a person."""
        return any(reason.code.startswith("review_") for reason in self.reasons)

    def codes(self) -> tuple[str, ...]:
        """Codes in the order in which they came, each once."""
        return tuple(dict.fromkeys(reason.code for reason in self.reasons))
