"""Two methods on the same items, and the bootstrap: against scipy and statsmodels, repeatable, bounded."""

from __future__ import annotations

import math
import time
import tracemalloc
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformed.errors import UsageError
from conformed.evaluation import given as given_module
from conformed.evaluation import resampling
from conformed.evaluation.intervals import Proportion
from conformed.evaluation.paired import compare, mcnemar_exact
from conformed.evaluation.resampling import bootstrap_mean, percentile_interval, resampled_means

np = pytest.importorskip("numpy")


def outcomes(text: str) -> dict[str, str]:
    """Outcomes by item id, one a letter: c, i, r, e."""
    words = {"c": "correct", "i": "incorrect", "r": "review", "e": "error"}
    return {f"item-{place:04}": words[letter] for place, letter in enumerate(text)}


def test_a_comparison_by_hand() -> None:
    """Three improved, one regressed: 2·(1 + 4)/16 = 0.625; review and error are not right."""
    found = compare(outcomes("iirccer"), outcomes("cccicrr"), seed=7)
    assert found.improved == ("item-0000", "item-0001", "item-0002")
    assert found.regressed == ("item-0003",)
    assert (found.n, found.both_correct, found.neither_correct) == (7, 1, 2)
    assert found.p_value == 0.625
    assert found.difference == float(Fraction(2, 7))
    assert isinstance(found.before, Proportion)
    assert isinstance(found.after, Proportion)
    assert (found.before.successes, found.after.successes) == (2, 4)
    assert found.interval.low < found.difference < found.interval.high
    assert found.words().startswith("3 improved, 1 regressed of 7: +28.6%")


@settings(deadline=None)  # the first call imports the library
@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_as_statsmodels_has_it(improved: int, regressed: int) -> None:
    """The same exact p-value as statsmodels, and the same as scipy's binomial test."""
    tables = pytest.importorskip("statsmodels.stats.contingency_tables")
    stats = pytest.importorskip("scipy.stats")
    value = mcnemar_exact(improved, regressed)
    assert value == mcnemar_exact(regressed, improved)
    if improved + regressed:
        assert value == pytest.approx(tables.mcnemar([[5, improved], [regressed, 5]], exact=True).pvalue, rel=1e-9)
        assert value == pytest.approx(stats.binomtest(improved, improved + regressed, 0.5).pvalue, rel=1e-9)
    else:
        assert value == 1.0


def test_mcnemar_counts_coins() -> None:
    """The p-value is the share of all ways the changed items could fall that are at least as lopsided."""
    for changed in range(1, 9):
        for improved in range(changed + 1):
            ways = [abs(2 * sum(way) - changed) for way in product((0, 1), repeat=changed)]
            seen = abs(2 * improved - changed)
            expected = Fraction(sum(way >= seen for way in ways), len(ways))
            assert mcnemar_exact(improved, changed - improved) == float(expected)


def test_mcnemar_of_many() -> None:
    """Ten thousand changed items underflow nothing and refuse nothing."""
    assert mcnemar_exact(5000, 5000) == 1.0
    assert 0 < mcnemar_exact(4600, 5400) < 1e-14
    for bad in (-1, True, 1.0, "1"):
        with pytest.raises((ValueError, TypeError)):
            mcnemar_exact(bad, 1)  # type: ignore[arg-type]


def test_the_seed_fixes_the_interval() -> None:
    """Same items and seed, same bytes, in any order of the items; another seed, another draw."""
    before, after = outcomes("iccicirccc" * 30), outcomes("ccciciccic" * 30)
    first = compare(before, after, seed=3)
    turned = compare(dict(reversed(before.items())), dict(reversed(after.items())), seed=3)
    assert first.model_dump_json() == turned.model_dump_json()
    values = [0.1 * place for place in range(100)]
    assert (resampled_means(values, seed=1) == resampled_means(values, seed=1)).all()
    assert (resampled_means(values, seed=1) != resampled_means(values, seed=2)).any()


def test_both_ways_of_drawing_have_the_same_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing counts and drawing places give means that two-sample tests cannot tell apart, and both scipy's interval."""
    stats = pytest.importorskip("scipy.stats")
    values = [-1.0] * 20 + [0.0] * 70 + [1.0] * 45
    counted = resampled_means(values, seed=1)
    monkeypatch.setattr(resampling, "_FEW", 0)
    placed = resampled_means(values, seed=1)
    assert stats.ks_2samp(counted, placed).pvalue > 0.001
    theirs = stats.bootstrap((np.array(values),), np.mean, n_resamples=10_000, method="percentile", random_state=5)
    for drawn in (counted, placed):
        low, high = percentile_interval(drawn)
        assert low == pytest.approx(theirs.confidence_interval.low, abs=0.01)
        assert high == pytest.approx(theirs.confidence_interval.high, abs=0.01)


def test_the_spread_is_the_right_one() -> None:
    """The standard deviation of resampled means is that of the values over the root of n, for few and many distinct values."""
    few = [0.0, 1.0] * 200
    many = [math.sin(place) for place in range(400)]
    for values in (few, many):
        drawn = resampled_means(values, seed=11, resamples=20_000)
        assert drawn.std() == pytest.approx(np.std(values) / math.sqrt(len(values)), rel=0.03)
        assert drawn.mean() == pytest.approx(np.mean(values), abs=4 * drawn.std() / math.sqrt(20_000))


def test_groups_are_drawn_whole() -> None:
    """Twenty copies of each of 30 items are worth 30 items: the interval of groups is as wide as that of the 30 alone."""
    singles = [float(place % 3 == 0) for place in range(30)]
    copies = [value for value in singles for _ in range(20)]
    groups = [place for place in range(30) for _ in range(20)]
    alone = bootstrap_mean(singles, seed=2)
    whole = bootstrap_mean(copies, seed=2, groups=groups)
    naive = bootstrap_mean(copies, seed=2)
    width = alone.interval.high - alone.interval.low
    assert whole.n == 30
    assert whole.interval.high - whole.interval.low == pytest.approx(width, rel=0.05)
    assert naive.interval.high - naive.interval.low < width / 3


@pytest.mark.parametrize("few", [64, 0])
def test_groups_of_unequal_size(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A resample's mean is over the items drawn, not over group means: with two groups there are three possible values."""
    monkeypatch.setattr(resampling, "_FEW", few)
    drawn = resampled_means([1.0, 0.0, 0.0, 0.0], seed=1, groups=["a", "b", "b", "b"])
    values, counts = np.unique(drawn, return_counts=True)
    assert values.tolist() == [0.0, 0.25, 1.0]
    assert counts / len(drawn) == pytest.approx([0.25, 0.5, 0.25], abs=0.02)


def test_a_comparison_with_groups() -> None:
    """With groups the comparison says how many, its interval is wider, and its counts stay."""
    before, after = outcomes("iiiiicccccrrrrr" * 4), outcomes("ccccccccccrrrrr" * 4)
    groups = {item: str(int(item[-4:]) // 5) for item in before}
    alone, grouped = compare(before, after, seed=1), compare(before, after, seed=1, groups=groups)
    assert grouped.groups == 12
    assert alone.groups is None
    assert grouped.improved == alone.improved
    assert grouped.interval.low < alone.interval.low
    assert grouped.interval.high > alone.interval.high
    with pytest.raises(ValueError, match="1 items have no group: item-0059"):
        compare(before, after, seed=1, groups={item: "g" for item in before if item != "item-0059"})


def test_memory_is_bounded_and_time_short() -> None:
    """10,000 resamples over 10,000 items with as many distinct values never hold more than a small block of places."""
    values = [math.sin(place) for place in range(10_000)]
    tracemalloc.start()
    began = time.process_time()
    drawn = resampled_means(values, seed=1, resamples=300)
    took = time.process_time() - began
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(drawn) == 300
    assert peak < 20 * 2**20
    assert took < 3


@pytest.mark.parametrize(
    ("before", "after", "seed"),
    [
        ({}, {}, 1),
        ({"a": "correct"}, {"b": "correct"}, 1),
        ({"a": "correct"}, {"a": "correct", "b": "correct"}, 1),
        ({"a": "accept"}, {"a": "correct"}, 1),
        ({"a": "correct"}, {"a": True}, 1),
        ({"a": "correct"}, {"a": "correct"}, -1),
        ({"a": "correct"}, {"a": "correct"}, True),
        ({"a": "correct"}, {"a": "correct"}, None),
    ],
)
def test_comparison_refusals(before: Any, after: Any, seed: Any) -> None:
    """No items, other items, other words and a seed that is none are refused."""
    with pytest.raises((ValueError, TypeError)):
        compare(before, after, seed=seed)


@pytest.mark.parametrize("values", [[], [math.nan], [math.inf], [True], ["1"]])
def test_bootstrap_refusals(values: Any) -> None:
    """No value, and values that are no finite numbers, are refused; so are groups of another length and other levels."""
    with pytest.raises((ValueError, TypeError)):
        bootstrap_mean(values, seed=1)
    with pytest.raises(ValueError, match="1 values and 2 groups"):
        bootstrap_mean([1.0], seed=1, groups=["a", "b"])
    with pytest.raises(ValueError, match="level"):
        bootstrap_mean([1.0], seed=1, level=1.0)
    with pytest.raises(ValueError, match="resamples"):
        bootstrap_mean([1.0], seed=1, resamples=0)


def test_without_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra the comparison says what to install, and everything that needs no numpy still loads."""

    def absent(name: str) -> Any:
        raise ModuleNotFoundError(f"No module named {name!r}")

    monkeypatch.setattr(given_module.importlib, "import_module", absent)
    with pytest.raises(UsageError, match=r"numpy is not installed.*conformed\[evaluation\]"):
        compare(outcomes("c"), outcomes("i"), seed=1)
    assert mcnemar_exact(1, 0) == 1.0
