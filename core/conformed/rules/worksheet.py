"""The sheet on which one calculation is built: figures taken in, lines written, reasons collected."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from conformed.model.calculation import Certificate, Figure, Step
from conformed.model.codes import sentence_of
from conformed.model.decision import Reason
from conformed.model.span import Span
from conformed.rules.formula import run_steps

__all__ = ["Worksheet", "base_name", "rounding_unit"]


def base_name(name: str) -> str:
    """The name of a figure without the number that keeps repeats apart (``interest__2``)."""
    return name.partition("__")[0]


def rounding_unit(figures: Iterable[Figure]) -> Fraction:
    """The unit to which a statement's own figures are rounded: the largest scale among them (rule CA-13)."""
    return Fraction(max((figure.scale for figure in figures), default=1))


@dataclass(slots=True)
class Worksheet:
    """Figures, lines and reasons of one calculation, in the order in which they come."""

    certificate: Certificate
    figures: dict[str, Figure] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    reasons: list[Reason] = field(default_factory=list)
    units: dict[str, str] = field(default_factory=dict)

    def named(self, name: str) -> tuple[Figure, ...]:
        """All figures of the certificate with a name, repeats included."""
        return tuple(figure for figure in self.certificate.figures if base_name(figure.name) == name)

    def group(self, prefix: str) -> tuple[Figure, ...]:
        """All figures whose name has a prefix, in the certificate's order."""
        return tuple(figure for figure in self.certificate.figures if figure.name.startswith(prefix))

    def take(self, name: str) -> Figure | None:
        """The figure of a name, taken into the calculation; None where the certificate has none.

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
        """Takes one figure into the calculation."""
        self.figures.setdefault(figure.name, figure)
        return figure

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
