"""``conformed runs``: lists, shows, pins and compares; differences only, and tests on the same items."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from conformed.errors import GivenValueError, UsageError
from conformed.evaluation.paired import mcnemar_exact
from conformed.hooks import NoOptions
from conformed_plugins.training.runs import command
from conformed_plugins.training.runs.command import RunsCommand
from conformed_plugins.training.runs.comparing import compare_runs
from conformed_plugins.training.runs.folder import RunFolder

Begin = Callable[..., RunFolder]


def rows(right: Sequence[int], of: int = 20, **more: Any) -> list[dict[str, Any]]:
    """Judged items of which some are right."""
    return [{"item": f"e{at}", "outcome": "correct" if at in right else "incorrect", **more} for at in range(of)]


@pytest.fixture
def two(begin: Begin) -> tuple[RunFolder, RunFolder]:
    """A run and another that gained ten items and lost one, with one setting changed."""
    before, after = (
        begin(),
        begin(run_id="second", settings={"beta": 0.0, "group": 8, "optimiser": {"name": "adamw", "rate": 5e-05}}),
    )
    for folder, last in ((before, range(5)), (after, range(1, 15))):
        folder.record(1, {"loss": 0.5})
        folder.evaluated(1, "unseen", rows([]))
        folder.evaluated(2, "unseen", rows(list(last)))
        folder.record(2, {"loss": 0.4})
    before.evaluated(2, "retention", rows([1]))
    before.finish({"accuracy": 0.25, "kept": "a"}, plots=False)
    after.finish({"accuracy": 0.7, "kept": "a"}, plots=False)
    return before, after


def run(folder: Path, *words: str) -> list[str]:
    """What the command prints."""
    said: list[str] = []
    assert RunsCommand(NoOptions()).run([*words, "--folder", str(folder)], said.append) == 0
    return said


def test_only_what_differs_is_told(two: tuple[RunFolder, RunFolder]) -> None:
    """Nested settings and results are compared value by value; what is the same is not there."""
    found = compare_runs(*two)
    assert [(one.where, one.name, one.before, one.after) for one in found.differences] == [
        ("plan", "settings.beta", "0.04", "0.0"),
        ("result", "accuracy", "0.25", "0.7"),
    ]
    assert compare_runs(two[0], two[0]).differences == ()


def test_items_are_paired_at_the_last_evaluation(two: tuple[RunFolder, RunFolder]) -> None:
    """Ten improved, one regressed, with McNemar's exact p and an interval; a split of one run alone is named and not tested."""
    found = compare_runs(*two)
    (one,) = found.paired
    assert (one.split, one.updates, one.left_out) == ("unseen", (2, 2), 0)
    assert len(one.comparison.improved) == 10  # type: ignore[union-attr]
    assert one.comparison.regressed == ("e0",)  # type: ignore[union-attr]
    assert one.comparison.p_value == mcnemar_exact(10, 1)  # type: ignore[union-attr]
    assert found.apart == ("retention",)


def test_items_that_differ_are_left_out_and_counted(begin: Begin) -> None:
    """Only items of both are compared; without any there is no comparison, and no difference is told."""
    one, other, third = begin(), begin(run_id="b"), begin(run_id="c")
    one.evaluated(1, "unseen", rows([1], of=10))
    other.evaluated(1, "unseen", rows([1, 2], of=8))
    third.evaluated(1, "unseen", [{"item": "x", "outcome": "correct"}])
    (found,) = compare_runs(one, other).paired
    assert (found.left_out, found.comparison.n) == (2, 8)  # type: ignore[union-attr]
    (nothing,) = compare_runs(one, third).paired
    assert nothing.comparison.code == "no_common_item"  # type: ignore[union-attr]
    assert nothing.left_out == 11


def test_items_of_a_group_are_drawn_together(begin: Begin) -> None:
    """Where every item has a group the bootstrap draws groups; where one has none it draws items."""
    one, other = begin(), begin(run_id="b")
    grouped = [{**row, "group": f"t{at % 4}"} for at, row in enumerate(rows([1]))]
    one.evaluated(1, "unseen", grouped)
    one.evaluated(1, "known", [*grouped[:-1], rows([1])[-1]])
    other.evaluated(1, "unseen", rows([2]))
    other.evaluated(1, "known", rows([2]))
    known, unseen = compare_runs(one, other).paired
    assert (known.comparison.groups, unseen.comparison.groups) == (None, 4)  # type: ignore[union-attr]


def test_without_numpy_no_difference_is_told(two: tuple[RunFolder, RunFolder], monkeypatch: pytest.MonkeyPatch) -> None:
    """A difference without its interval is not shown: the sentence says what to install, and the rest is compared."""
    from conformed.evaluation import given

    def absent(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(given.importlib, "import_module", absent)
    found = compare_runs(*two)
    assert found.paired[0].comparison.code == "no_numpy"  # type: ignore[union-attr]
    assert len(found.differences) == 2


def test_the_list_says_how_far_each_run_is(two: tuple[RunFolder, RunFolder], begin: Begin, tmp_path: Path) -> None:
    """One line a run, sorted; a broken one has its reason, and hides no other."""
    begin(run_id="under-way")
    (begin(run_id="broken").path / "plan.json").write_text("{}")
    said = run(tmp_path, "list")
    assert said[0].split() == ["run", "method", "begun", "updates", "state", "accuracy", "seen"]
    assert [line.split()[0] for line in said[1:]] == ["broken", "first", "second", "under-way"]
    assert "plan of the run 'broken' is broken" in said[1]
    assert "finished" in said[2]
    assert "retention 0.050; unseen 0.250" in said[2]
    assert "not finished" in said[4]
    listed = json.loads("".join(run(tmp_path, "list", "--json")))
    assert [(one["run"], one["updates"]) for one in listed] == [("broken", 0), ("first", 2), ("second", 2), ("under-way", 0)]


def test_no_run_is_said(tmp_path: Path) -> None:
    """An empty folder, or none, is a sentence for the list and an error for the rest."""
    assert run(tmp_path / "none", "list") == [f"There is no run in {tmp_path / 'none'}."]
    with pytest.raises(UsageError, match="There is no folder"):
        run(tmp_path / "none", "show", "a")
    with pytest.raises(UsageError, match="no run 'a'"):
        run(tmp_path, "show", "a")
    with pytest.raises(GivenValueError, match="The id of the run"):
        run(tmp_path, "show", "../a")


def test_a_run_is_shown_finished_or_not(two: tuple[RunFolder, RunFolder], begin: Begin, tmp_path: Path) -> None:
    """Of a finished run the diary, with what was altered since; of one under way what is known, with its diagnosis."""
    assert "\n".join(run(tmp_path, "show", "first")) + "\n" == (two[0].path / "diary.md").read_text(encoding="utf-8")
    (two[0].path / "notes.jsonl").write_bytes(b"")
    assert run(tmp_path, "show", "first")[-1] == "Altered since the diary was written: notes.jsonl."
    assert json.loads("".join(run(tmp_path, "show", "first", "--json")))["altered"] == ["notes.jsonl"]
    begin(run_id="under-way").record(1, {"reward_mean": 0.5})
    page = "\n".join(run(tmp_path, "show", "under-way"))
    assert "- Finished: not yet" in page
    assert "reward_mean has 1 updates of the 6 that are needed" in page


def test_results_are_told_first_and_then_differences(two: tuple[RunFolder, RunFolder], tmp_path: Path) -> None:
    """The printed comparison has one line a split, what one run alone was evaluated on, and the differences."""
    said = run(tmp_path, "compare", "first", "second")
    assert said[0] == "first (before) and second (after)"
    assert said[2].startswith("unseen, updates 2 and 2: 10 improved, 1 regressed of 20: +45.0% (")
    assert said[3] == "Evaluated in one run only: retention"
    assert said[5:] == ["plan settings.beta: 0.04 -> 0.0", "result accuracy: 0.25 -> 0.7"]
    assert json.loads("".join(run(tmp_path, "compare", "first", "second", "--json")))["before"] == "first"


def test_nothing_in_common_says_that_nothing_is_known(begin: Begin, tmp_path: Path) -> None:
    """Two runs without a common split, and with the same plan, are not called equal in quality."""
    begin()
    begin(run_id="second")
    said = run(tmp_path, "compare", "first", "second")
    assert "No split was evaluated in both runs: nothing says which one is better." in said
    assert said[-1] == "Plan, facts and results are the same."


def test_a_pinned_baseline_is_before(two: tuple[RunFolder, RunFolder], tmp_path: Path) -> None:
    """With one run the pinned one is what it is compared with; the list shows which that is."""
    with pytest.raises(UsageError, match="No baseline is pinned"):
        run(tmp_path, "compare", "second")
    assert run(tmp_path, "pin", "first") == [f"first is the baseline of {tmp_path}."]
    assert run(tmp_path, "compare", "second")[0] == "first (before) and second (after)"
    assert run(tmp_path, "list")[-1] == "Baseline: first"


def test_a_baseline_is_pinned_whole_and_stays_as_it_was(two: tuple[RunFolder, RunFolder], begin: Begin, tmp_path: Path) -> None:
    """A run under way or altered cannot be pinned, and a pinned one that changes in any way is refused."""
    begin(run_id="under-way")
    with pytest.raises(UsageError, match="no diary yet"):
        run(tmp_path, "pin", "under-way")
    run(tmp_path, "pin", "first")
    whole = (two[0].path / "evaluations.jsonl").read_bytes()
    (two[0].path / "evaluations.jsonl").write_bytes(whole.replace(b"incorrect", b"correct", 1))
    with pytest.raises(UsageError, match="was changed after it was pinned"):
        run(tmp_path, "compare", "second")
    with pytest.raises(UsageError, match=r"evaluations\.jsonl of 'first' are not as its diary says"):
        run(tmp_path, "pin", "first")
    (two[0].path / "evaluations.jsonl").write_bytes(whole)
    run(tmp_path, "compare", "second")
    diary = two[0].path / "diary.json"
    diary.write_bytes(diary.read_bytes().replace(b"0.25", b"0.35", 1))
    with pytest.raises(UsageError, match="was changed after it was pinned"):
        run(tmp_path, "compare", "second")
    (tmp_path / "baseline.json").write_text("{")
    with pytest.raises(UsageError, match="is broken"):
        run(tmp_path, "compare", "second")


@pytest.mark.parametrize("words", [[], ["lost"], ["show"], ["compare"], ["list", "x"], ["show", "a", "--colour"]])
def test_what_is_not_understood_is_refused(words: list[str]) -> None:
    """A wrong word ends in a sentence with an example, and never in the parser's own exit."""
    with pytest.raises(UsageError, match="Example: conformed runs list"):
        RunsCommand(NoOptions()).run(words, lambda _line: None)


def test_runs_lie_below_the_current_folder_unless_told(begin: Begin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The default folder is .conformed/runs here."""
    begin(root=tmp_path / command.DEFAULT_FOLDER)
    monkeypatch.chdir(tmp_path)
    said: list[str] = []
    RunsCommand(NoOptions()).run(["list"], said.append)
    assert said[1].startswith("first ")


def test_null_absence_and_truth_are_apart(begin: Begin) -> None:
    """A setting that is null differs from one that is not there, and true from 1."""
    one = begin(settings={"null": None, "flag": True, "none": {}})
    other = begin(run_id="second", settings={"flag": 1, "none": 0})
    found = {item.name: (item.before, item.after) for item in compare_runs(one, other).differences}
    assert found["settings.flag"] == ("true", "1")
    assert found["settings.none"] == ("{}", "0")
    assert found["settings.null"][0] == "null"
    assert found["settings.null"][1].code == "not_there"  # type: ignore[union-attr]
