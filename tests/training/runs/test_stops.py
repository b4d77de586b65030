"""Stop rules that a program can check."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from conformed.errors import GivenValueError
from conformed_plugins.training.runs.folder import RunFolder
from conformed_plugins.training.runs.reading import stops_met
from conformed_plugins.training.runs.series import Series
from conformed_plugins.training.runs.stops import met, stop_rule


def series(*values: float) -> Series:
    """One series, an update a value."""
    return Series({"token_entropy": tuple(enumerate(values, start=1))})


@pytest.mark.parametrize(
    ("values", "update"),
    [
        ((0.1, 0.1, 0.1), 3),
        ((0.1, 0.1, 0.2, 0.1, 0.1), None),
        ((0.3, 0.1, 0.1, 0.1, 0.5), 4),
        ((0.1, 0.1), None),
        ((0.2, 0.2, 0.2), None),
    ],
)
def test_a_rule_is_met_by_figures_in_a_row(values: tuple[float, ...], update: int | None) -> None:
    """Three below 0.2 in a row, at the third; a figure at the limit breaks the row."""
    rule = "token_entropy below 0.2 for 3 updates"
    assert met([rule], series(*values)) == (((rule, update),) if update else ())


def test_above_is_the_other_side_and_once_is_the_default() -> None:
    """A rule without a number of updates is met by one figure strictly above."""
    assert met(["token_entropy above 0.2."], series(0.2, 0.1, 0.3)) == (("token_entropy above 0.2.", 3),)


@pytest.mark.parametrize(
    "text", ["stop when it is enough", "token_entropy below", "loss above 1e5", "loss = 3", "loss above 1 for 0 updates"]
)
def test_any_other_sentence_is_for_people(text: str) -> None:
    """What is not of the form is no rule of a program, and is never met."""
    assert stop_rule(text) is None
    assert met([text], series(0.0)) == ()


def test_a_rule_over_no_series_begins_no_run(begin: Callable[..., RunFolder]) -> None:
    """A misspelt series would never stop a run: it is refused at the start."""
    with pytest.raises(GivenValueError, match="token_entropie, which is no series"):
        begin(stop_rules=["token_entropie below 0.1"])


def test_a_run_says_what_is_met(begin: Callable[..., RunFolder]) -> None:
    """Recorded figures and evaluations are looked at together; what nothing recorded is not met."""
    folder = begin(stop_rules=["loss above 5 for 2 updates", "evaluation.unseen.accuracy above 0.4", "sampled_kl above 0"])
    for update, loss in enumerate((6.0, 1.0, 6.0, 7.0)):
        folder.record(update, {"loss": loss})
    folder.evaluated(3, "unseen", [{"item": "a", "outcome": "correct"}, {"item": "b", "outcome": "review"}])
    assert stops_met(folder) == (("loss above 5 for 2 updates", 3), ("evaluation.unseen.accuracy above 0.4", 3))
