"""Figures held against gates: which are passed, and what was found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from conformed.evaluation.intervals import Estimate, Proportion
from conformed.evaluation.scorers.card import ScorerCard
from conformed.evaluation.scorers.discrimination import Auroc
from conformed.evaluation.scorers.gates import GateResult, ScorerGates
from conformed.evaluation.scorers.judging import Figures
from conformed.evaluation.scorers.probes import Probe
from conformed.model.base import Missing

__all__ = ["gate_results"]


def gate_results(card: ScorerCard, gates: ScorerGates, figures: Figures, probes: Sequence[Probe]) -> tuple[GateResult, ...]:
    """Holds figures against gates; what is Missing is not passed.

    Args:
        card: the scorer's card.
        gates: what was declared.
        figures: what was measured.
        probes: what the probes did; none is a gate that is not passed.
    """
    test, shift = figures.whole(gates.test_on), figures.whole(gates.shift_on)
    selective = figures.selective
    made = [
        GateResult(gate="event", passed=card.target_event == gates.event,
                   found=f"The score is about {card.target_event}; asked is {gates.event}."),
        GateResult(gate="least_items", passed=test.items >= gates.least_items,
                   found=f"The test split has {test.items} items; asked are {gates.least_items}."),
        _at_least("least_auroc", gates.least_auroc, test.discrimination),
        _at_least("least_auroc_shift", gates.least_auroc_shift, shift.discrimination),
    ]  # fmt: skip
    # A score that is no probability is used through its map, so that the map is what must be calibrated.
    calibrated = figures.calibration if card.output_schema == "probability" else figures.calibration_mapped
    if isinstance(calibrated, Missing):
        made.append(_unmeasured("most_calibration_error", calibrated))
    else:
        error = calibrated.expected_error
        made.append(GateResult(gate="most_calibration_error", passed=Fraction(error) <= gates.most_calibration_error,
                               found=f"Expected calibration error {error:.3f}; at most {_said(gates.most_calibration_error)}."))  # fmt: skip
    if isinstance(selective, Missing):
        made += [_unmeasured("most_risk", selective), _unmeasured("least_coverage", selective)]
    else:
        made.append(_share("most_risk", selective.risk, selective.risk_over_items, gates.most_risk))
        made.append(_share("least_coverage", selective.coverage, selective.coverage_over_items, gates.least_coverage))
    made += _probe_results(gates, probes)
    loose = [one for one in figures.independence if not one.independent]
    made.append(
        GateResult(
            gate="independent",
            passed=bool(figures.independence) and not (gates.independent and loose),
            found="; ".join(f"{one.generator}: {one.why}" for one in loose or figures.independence) or "No generator was judged.",
        )
    )
    return tuple(made)


def _at_least(gate: str, bound: Fraction, found: Auroc | Missing) -> GateResult:
    if isinstance(found, Missing):
        return _unmeasured(gate, found)
    return GateResult(gate=gate, passed=found.interval.low >= bound, found=f"{found.words()}; at least {_said(bound)}.")


def _probe_results(gates: ScorerGates, probes: Sequence[Probe]) -> Iterator[GateResult]:
    if not probes:
        yield GateResult(gate="probes", passed=False, found="No probe was made.")
    for one in probes:
        rise, lifted = one.rise, one.lifted
        if isinstance(rise, Estimate):
            yield GateResult(
                gate=f"most_rise:{one.name}",
                passed=rise.interval.high <= gates.most_rise,
                found=f"Mean rise {rise.value:+.4f} ({rise.interval.low:+.4f} to {rise.interval.high:+.4f}) over {rise.n} items;"
                f" at most {_said(gates.most_rise)}.",
            )
        elif rise.code == "all_silenced":
            yield GateResult(gate=f"most_rise:{one.name}", passed=True, found=rise.reason)
        else:
            yield _unmeasured(f"most_rise:{one.name}", rise)
        yield _share(f"most_lifted:{one.name}", lifted, one.lifted_over_items, gates.most_lifted)


def _share(gate: str, share: Proportion | Missing, over_items: Estimate | Missing, bound: Fraction) -> GateResult:
    """A share against its bound by the more cautious of two intervals: Wilson's, and the one that draws whole items."""
    if isinstance(share, Missing):
        return _unmeasured(gate, share)
    if isinstance(over_items, Missing):
        return _unmeasured(gate, over_items)
    ends = share.interval, over_items.interval
    most = gate.startswith("most")
    end = max(one.high for one in ends) if most else min(one.low for one in ends)
    return GateResult(
        gate=gate,
        passed=end <= bound if most else end >= bound,
        found=f"{share.words()}, over items {'up' if most else 'down'} to {end:.1%}; at {'most' if most else 'least'} {_said(bound)}.",
    )


def _unmeasured(gate: str, missing: Missing) -> GateResult:
    return GateResult(gate=gate, passed=False, found=f"Not measured: {missing.reason}")


def _said(bound: Fraction) -> str:
    return f"{float(bound):g}"
