"""The diary: the plan beside what came of it, for programs and for people, with plots and hashes."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from conformed.errors import GivenValueError, UsageError
from conformed.model.base import Missing
from conformed_plugins.training.runs import plots
from conformed_plugins.training.runs.diary import read_diary
from conformed_plugins.training.runs.folder import RunFolder
from conformed_plugins.training.runs.plots import plots_of
from conformed_plugins.training.runs.reading import evaluations_of, series_of

Begin = Callable[..., RunFolder]


def filled(begin: Begin, updates: int = 9, **changed: object) -> RunFolder:
    """A run with some of everything."""
    folder = begin(facts={"revisions": {"tokenizer": "c" * 64}}, **changed)
    for update in range(1, updates + 1):
        folder.record(update, {"reward_mean": 0.3 + update / 50, "token_entropy": 0.5, "lost_words": "x"})
        if update % 3 == 0:
            rows = [{"item": f"e{at}", "outcome": "correct" if at < update else "incorrect"} for at in range(12)]
            folder.evaluated(update, "unseen", rows)
    return folder


def test_planned_and_filled_stand_beside_each_other(begin: Begin) -> None:
    """Every sentence of the plan, the times, facts of start and end, deviations, result and analysis are in both forms."""
    folder = filled(begin)
    folder.deviated(9, "The evaluation at update 12 was left out.")
    folder.know("hashes", {"weights": "d" * 64})
    page = folder.finish({"accuracy": 0.75}, failure_analysis="Dates are copied wrongly.").read_text(encoding="utf-8")
    whole, altered = read_diary(folder)
    assert altered == ()
    assert whole["planned"] == folder.plan.model_dump(mode="json")
    told = whole["filled"]
    assert (told["begun"], told["finished"], told["seconds"], told["last_update"]) == (
        "2026-01-31T23:59:00Z",
        "2026-02-01T00:00:00Z",
        60,
        9,
    )
    assert told["facts"] == {
        "hardware": {"cores": "2"},
        "versions": {"python": "3.11.0"},
        "revisions": {"tokenizer": "c" * 64},
        "hashes": {"weights": "d" * 64},
    }
    assert told["deviations"] == ["Update 9: The evaluation at update 12 was left out."]
    assert told["result"] == {"accuracy": 0.75}
    assert told["figures"]["evaluation.unseen.accuracy"] == {"first": 0.25, "last": 0.75}
    for said in (folder.plan.objective, folder.plan.hypothesis, folder.plan.checkpoint_rule, "Dates are copied wrongly.", "d" * 64,
                 "not judged: kl_runaway", "not seen: reward_up_accuracy_flat", "](plots/accuracy.svg)", "does not know: lost_words."):  # fmt: skip
        assert said in page


def test_what_departs_from_the_plan_is_found(begin: Begin) -> None:
    """Passed caps and a stop rule that was met and not obeyed are deviations, whether or not the run says so."""
    folder = filled(begin, cap_updates=8, cap_seconds=59, stop_rules=["token_entropy below 0.6 for 2 updates"])
    folder.finish({}, plots=False)
    assert read_diary(folder)[0]["filled"]["deviations"] == [
        "It ran to update 9; the cap was 8.",
        "From begin to end 60 s passed; the cap was 59 s.",
        "The stop rule 'token_entropy below 0.6 for 2 updates' was met at update 2, and the run went on to 9.",
    ]


def test_a_run_that_kept_to_its_plan_has_no_deviation(begin: Begin) -> None:
    """At its caps exactly, and ended by its rule, a run departs from nothing."""
    folder = filled(begin, cap_updates=9, cap_seconds=60, stop_rules=["token_entropy below 0.6 for 9 updates"])
    folder.finish({}, plots=False)
    assert read_diary(folder)[0]["filled"]["deviations"] == []


def test_without_analysis_the_diary_says_so(begin: Begin) -> None:
    """Silence is not taken for a run without failures."""
    assert "Failure analysis: None was written." in begin().finish({}, plots=False).read_text(encoding="utf-8")


def test_an_altered_file_is_named(begin: Begin) -> None:
    """A file that was changed, added or taken away after the end is named."""
    folder = filled(begin)
    folder.finish({}, plots=False)
    with (folder.path / "series.jsonl").open("ab") as stream:
        stream.write(b'{"figures":{"loss":0},"update":10}\n')
    (folder.path / "evaluations.jsonl").unlink()
    (folder.path / "rollouts.jsonl").write_bytes(b"")
    assert read_diary(folder)[1] == ("evaluations.jsonl", "rollouts.jsonl", "series.jsonl")


def test_a_diary_that_is_none_is_refused(begin: Begin) -> None:
    """Before the end there is none; a broken one is not read as if it were whole."""
    folder = begin()
    with pytest.raises(UsageError, match="no diary yet"):
        read_diary(folder)
    for wrong in ("{", "[]", '{"filled": {}}'):
        (folder.path / "diary.json").write_text(wrong)
        with pytest.raises(UsageError, match="is broken"):
            read_diary(folder)


def test_a_result_that_is_no_json_ends_nothing(begin: Begin) -> None:
    """NaN in the result is refused, and the run is not finished."""
    folder = begin()
    with pytest.raises(GivenValueError, match="result is no plain JSON"):
        folder.finish({"accuracy": float("nan")})
    assert not folder.finished


def test_words_of_a_run_are_data_on_the_page(begin: Begin) -> None:
    """Marks, line breaks and control characters of a plan or result start nothing on the page."""
    folder = begin(objective="# Title\n<script>x</script> \x1b[31m | a `b` ![c](d)", settings={"a|b": "c|d"})
    page = folder.finish({"note": "x\n- y"}, failure_analysis="a\n\n# b", plots=False).read_text(encoding="utf-8")
    assert "- Objective: \\# Title \\<script\\>x\\</script\\>  \\[31m \\| a \\`b\\` !\\[c\\](d)" in page
    assert "| a\\|b | c\\|d |" in page
    assert "| note | x - y |" in page
    assert "\n# b" not in page


def test_plots_are_one_a_group_and_the_same_bytes(begin: Begin) -> None:
    """Each group with a series of two updates or more has its SVG, without date or random id; accuracy has its own."""
    folder = filled(begin)
    first, second = (plots_of(series_of(folder), evaluations_of(folder)) for _ in range(2))
    assert not isinstance(first, Missing)
    assert first == second
    assert set(first) == {"reward-signal.svg", "policy-movement.svg", "evaluation.svg", "accuracy.svg"}
    for data in first.values():
        assert data.startswith(b"<?xml")
        assert b"dc:date" not in data
        assert b"matplotlib.org" not in data
    assert b"unseen (n = 12)" in first["accuracy.svg"]
    assert b"reward_mean (reward)" in first["reward-signal.svg"]


def test_a_user_s_settings_of_matplotlib_change_nothing(begin: Begin) -> None:
    """Colours and fonts of the user's machine are not in the plots, and are as before afterwards."""
    import matplotlib as mpl

    folder = filled(begin)
    plain = plots_of(series_of(folder))
    with mpl.rc_context({"font.size": 31, "axes.facecolor": "red"}):
        assert plots_of(series_of(folder)) == plain
        assert mpl.rcParams["font.size"] == 31


def test_without_matplotlib_the_diary_says_so(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is optional: without it the diary is written all the same, with a sentence in place of the plots."""
    monkeypatch.setattr(plots.importlib.util, "find_spec", lambda _name: None)
    folder = filled(begin)
    page = folder.finish({}).read_text(encoding="utf-8")
    assert "There are no plots: matplotlib is not installed" in page
    assert json.loads((folder.path / "diary.json").read_bytes())["attached"]["plots"] == []
    assert not (folder.path / "plots").exists()


def test_what_was_recorded_stands_over_what_follows(begin: Begin) -> None:
    """A recorded figure of behaviour is kept; one that was not recorded is worked out of the samples; words are no numbers."""
    folder = begin()
    folder.rollouts(1, [{"item": "a", "response": "{}", "response_tokens": 4, "stop": "eos"}])
    folder.record(1, {"mean_response_tokens": 9.0, "state": "warm"})
    found = series_of(folder)
    assert found.of("mean_response_tokens") == ((1, 9.0),)
    assert found.of("response_tokens_p90") == ((1, 4.0),)
    assert found.words == {"state": ((1, "warm"),)}
    assert "response_tokens_p90" not in series_of(folder, samples=False).numbers


def test_a_figure_of_an_evaluation_needs_every_item(begin: Begin) -> None:
    """Form and length of an evaluation are given only where every item has them; accuracy counts review and error as not right."""
    folder = begin()
    rows = [
        {"item": str(at), "outcome": one, "format_ok": True, "tokens": 4}
        for at, one in enumerate(("correct", "review", "error", "incorrect"))
    ]
    folder.evaluated(1, "known", rows)
    folder.evaluated(1, "unseen", [*rows[:3], {"item": "3", "outcome": "incorrect"}])
    found = series_of(folder)
    assert found.values("evaluation.known.accuracy") == (0.25,)
    assert found.values("evaluation.known.coverage") == (0.5,)
    assert found.values("evaluation.known.mean_response_tokens") == (4.0,)
    assert found.values("evaluation.unseen.mean_response_tokens") == ()
    assert found.splits() == ("known", "unseen")
