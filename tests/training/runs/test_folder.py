"""The folder of a run: on the disk at once, the same bytes for the same inputs, and exact after a cut."""

from __future__ import annotations

import datetime as dt
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformed.errors import GivenTypeError, GivenValueError, UsageError
from conformed_plugins.training.runs import lines
from conformed_plugins.training.runs.files import EVALUATIONS, NOTES, ROLLOUTS, SERIES, begun_of, run_ids
from conformed_plugins.training.runs.folder import RunFolder
from conformed_plugins.training.runs.given import moment

from .conftest import PLAN, Clock, known

Begin = Callable[..., RunFolder]


def step(folder: RunFolder, update: int) -> None:
    """One update of a made run."""
    folder.rollouts(update, [{"item": "i", "response": f'{{"a": {update}}}'}])
    folder.record(update, {"reward_mean": update / 7, "code:ok": update})
    if update % 2 == 0:
        folder.evaluated(update, "unseen", [{"item": "e", "outcome": "correct"}])


def files(folder: RunFolder) -> dict[str, bytes]:
    """What a run keeps while it goes on."""
    return {name: (folder.path / name).read_bytes() for name in (SERIES, ROLLOUTS, EVALUATIONS) if (folder.path / name).exists()}


def test_a_record_is_on_the_disk_before_the_call_returns(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each record is one whole line, flushed and synced by the file's own descriptor."""
    folder, synced = begin(), []
    real = os.fsync
    monkeypatch.setattr(lines.os, "fsync", lambda descriptor: (synced.append(os.fstat(descriptor).st_size), real(descriptor)))
    folder.record(1, {"reward_mean": 0.5, "loss": 0})
    data = (folder.path / SERIES).read_bytes()
    assert data == b'{"figures":{"loss":0,"reward_mean":0.5},"update":1}\n'
    assert synced[0] == len(data)


def test_the_same_inputs_give_the_same_bytes(begin: Begin, tmp_path: Path) -> None:
    """Two runs with the same plan, clock, id and figures are the same files, diary and plots included."""
    told = []
    for root in (tmp_path / "a", tmp_path / "b"):
        folder = begin(root=root)
        for update in range(1, 7):
            step(folder, update)
        folder.finish({"accuracy": 0.5})
        told.append({str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()})
    assert told[0] == told[1]
    assert "first/diary.json" in told[0]


def test_a_run_id_is_used_once(begin: Begin) -> None:
    """A second run under the same id is refused, and the first is not touched."""
    folder = begin()
    folder.record(1, {"loss": 1.0})
    before = files(folder)
    with pytest.raises(UsageError, match="already"):
        begin()
    assert files(folder) == before


def test_a_start_that_was_killed_is_no_run(begin: Begin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed before its folder has its name, a run is not listed, and the same id can begin."""
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", lambda *_a: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            begin()
    assert run_ids(tmp_path) == ()
    begin()
    assert run_ids(tmp_path) == ("first",)


@pytest.mark.parametrize("run_id", ["", "../x", "A", ".hidden", "a/b", "a b", "x" * 81])
def test_an_id_names_nothing_outside(run_id: str, tmp_path: Path) -> None:
    """An id that could name another place is refused at begin and at open."""
    for call in (
        lambda: RunFolder.begin(tmp_path, PLAN, now=Clock(), run_id=run_id),
        lambda: RunFolder.open(tmp_path, run_id, now=Clock()),
    ):
        with pytest.raises(GivenValueError, match="The id of the run"):
            call()


@pytest.mark.parametrize(
    ("figures", "kind", "told"),
    [
        ({"loss": float("nan")}, GivenValueError, "nonfinite_count"),
        ({"loss": float("inf")}, GivenValueError, "nonfinite_count"),
        ({"loss": True}, GivenTypeError, "bool"),
        ({"loss": None}, GivenTypeError, "NoneType"),
        ({"Loss": 1}, GivenValueError, "'Loss'"),
        ({"the clause says": 1}, GivenValueError, "the clause says"),
    ],
)
def test_what_is_no_figure_is_refused_by_name(figures: dict[str, Any], kind: type[Exception], told: str, begin: Begin) -> None:
    """NaN, truth values, None and malformed names are refused, and nothing of the call is written."""
    folder = begin()
    with pytest.raises(kind, match=told):
        folder.record(1, {"reward_mean": 1.0, **figures})
    assert not (folder.path / SERIES).exists()


def test_updates_only_go_on(begin: Begin) -> None:
    """An update that is past, a figure that is there already and an update that is no whole number are refused."""
    folder = begin()
    folder.record(3, {"loss": 1.0})
    folder.record(3, {"reward_mean": 0.1})
    with pytest.raises(GivenValueError, match="has loss already"):
        folder.record(3, {"loss": 1.0})
    with pytest.raises(GivenValueError, match="comes after 3"):
        folder.record(2, {"loss": 1.0})
    for update in (-1, 1.0, True, "4"):
        with pytest.raises(GivenTypeError):
            folder.record(update, {"loss": 1.0})  # type: ignore[arg-type]
    again = RunFolder.open(folder.path.parent, "first", now=Clock())
    with pytest.raises(GivenValueError, match="has loss already"):
        again.record(3, {"loss": 1.0})


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([{"outcome": "correct"}], "id None"),
        ([{"item": "a", "outcome": "right"}], "outcome 'right'"),
        ([{"item": "a", "outcome": "correct"}, {"item": "a", "outcome": "correct"}], "id 'a'"),
        ([{"item": "a", "outcome": "correct", "score": float("nan")}], "no plain JSON"),
    ],
)
def test_judged_items_are_checked(rows: list[dict[str, Any]], told: str, begin: Begin) -> None:
    """An item without id, twice, with an unknown outcome or with NaN is refused, and no row of the call is kept."""
    folder = begin()
    with pytest.raises(GivenValueError, match=told):
        folder.evaluated(1, "unseen", rows)
    assert list(folder.rows(EVALUATIONS)) == []


def test_an_evaluation_is_given_once(begin: Begin) -> None:
    """A split is evaluated once an update, also by a process that opens the run later."""
    folder = begin()
    folder.evaluated(2, "unseen", [{"item": "a", "outcome": "correct"}])
    for one in (folder, RunFolder.open(folder.path.parent, "first", now=Clock())):
        with pytest.raises(GivenValueError, match="already"):
            one.evaluated(2, "unseen", [{"item": "b", "outcome": "correct"}])


@settings(max_examples=12, deadline=None)
@given(stopped=st.integers(1, 6), checkpoint=st.integers(0, 6), torn=st.integers(0, 40))
def test_a_resumed_run_has_the_bytes_of_one_that_never_stopped(
    stopped: int, checkpoint: int, torn: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Killed after any update, with a torn last line, cut to any checkpoint before it and gone on with: the same files."""
    checkpoint = min(checkpoint, stopped)
    root = tmp_path_factory.mktemp("runs")
    whole = RunFolder.begin(root, PLAN, now=Clock(), run_id="whole", environment=known)
    broken = RunFolder.begin(root, PLAN, now=Clock(), run_id="broken", environment=known)
    for update in range(1, 7):
        step(whole, update)
    for update in range(1, stopped + 1):
        step(broken, update)
    if stopped < 6:
        with (broken.path / SERIES).open("ab") as stream:
            stream.write(b'{"figures":{"code:ok":99,"reward_mean":9},"update":99}\n'[:torn])
    again = RunFolder.open(root, "broken", now=Clock())
    again.cut(checkpoint)
    assert again.last_update == (checkpoint or -1)
    for update in range(checkpoint + 1, 7):
        step(again, update)
    assert files(again) == files(whole)
    assert [note["update"] for note in again.rows(NOTES)] == [checkpoint]


def killed_after(files: int) -> Callable[[Path, bytes], None]:
    """The writing of whole files, killed after so many."""
    real, done = lines.write_whole, []

    def write(path: Path, data: bytes) -> None:
        if len(done) == files:
            raise KeyboardInterrupt
        done.append(path)
        real(path, data)

    return write


def test_a_cut_can_be_killed_at_any_file_and_done_again(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cut that was killed after any of its files ends, done again, as if it had never been killed."""
    for survived in range(4):
        folder = begin(run_id=f"r{survived}")
        for update in range(1, 7):
            step(folder, update)
        with monkeypatch.context() as patch:
            patch.setattr(lines, "write_whole", killed_after(survived))
            if survived < 3:
                with pytest.raises(KeyboardInterrupt):
                    folder.cut(3)
        again = RunFolder.open(folder.path.parent, folder.run_id, now=Clock())
        again.cut(3)
        assert {row["update"] for name in files(again) for row in again.rows(name)} == {1, 2, 3}


def test_resumes_and_earlier_notes_stay(begin: Begin) -> None:
    """A second cut further back keeps the note of the first; a deviation after the cut is dropped with what it was about."""
    folder = begin()
    for update in range(1, 6):
        folder.record(update, {"loss": 1.0})
    folder.deviated(5, "The learning rate was halved.")
    assert folder.cut(4) == 2
    folder.cut(2)
    assert [(note["kind"], note["update"]) for note in folder.rows(NOTES)] == [("resumed", 4), ("resumed", 2)]


def test_a_finished_run_takes_nothing_and_a_cut_opens_it(begin: Begin) -> None:
    """After its diary a run refuses every record; cut back, it has no diary and goes on."""
    folder = begin()
    folder.record(1, {"loss": 1.0})
    folder.finish({}, plots=False)
    for call in (
        lambda: folder.record(2, {"loss": 1.0}),
        lambda: folder.rollouts(2, []),
        lambda: folder.evaluated(2, "unseen", []),
        lambda: folder.deviated(2, "x"),
        lambda: folder.know("hashes", {}),
        lambda: folder.finish({}),
    ):
        with pytest.raises(UsageError, match="is finished"):
            call()
    folder.cut(1)
    assert not folder.finished
    folder.record(2, {"loss": 1.0})


def test_a_line_that_is_altered_is_named(begin: Begin) -> None:
    """A whole line that is no JSON object is refused with file and number; only a torn last line is passed over."""
    folder = begin()
    folder.record(1, {"loss": 1.0})
    for wrong, told in (
        (b"{\n", "is no JSON"),
        (b"[]\n", "is no JSON"),
        (b'{"figures":{}}\n', "has no update"),
        (b'{"update":1}\n', "has no figures"),
    ):
        (folder.path / SERIES).write_bytes(wrong + b'{"figures":{},"update":1}\n')
        with pytest.raises(UsageError, match=rf"series\.jsonl:1 {told}"):
            RunFolder.open(folder.path.parent, "first", now=Clock())


def test_a_full_disk_is_said(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the disk takes no more, the error is ours and says how to go on."""
    folder = begin()

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(lines.os, "fsync", full)
    with pytest.raises(UsageError, match=r"No space left on device.*resume"):
        folder.record(1, {"loss": 1.0})


def test_open_says_what_is_not_there(begin: Begin, tmp_path: Path) -> None:
    """No run, and a plan that was altered into none, are refused apart."""
    with pytest.raises(UsageError, match="no run 'first'"):
        RunFolder.open(tmp_path, "first", now=Clock())
    folder = begin()
    plain = json.loads((folder.path / "plan.json").read_bytes())
    del plain["hypothesis"]
    (folder.path / "plan.json").write_text(json.dumps(plain))
    with pytest.raises(UsageError, match=r"plan of the run 'first' is broken"):
        RunFolder.open(tmp_path, "first", now=Clock())
    whole = begin(run_id="second")
    for wrong in ("{", "[]", '{"begun": 1, "facts": {}}', '{"begun": "x", "facts": {"a": 1}}', '{"begun": "x", "facts": []}'):
        (whole.path / "begun.json").write_text(wrong)
        with pytest.raises(UsageError, match=r"begun\.json is broken"):
            RunFolder.open(tmp_path, "second", now=Clock())


def test_a_clock_without_a_zone_is_refused() -> None:
    """A local time would be another moment on another machine."""
    with pytest.raises(GivenValueError, match="no zone"):
        moment(dt.datetime(2026, 1, 1))  # noqa: DTZ001
    assert moment(dt.datetime(2026, 1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=2)))) == "2025-12-31T23:00:00Z"


class Failing:
    """A tracker that fails the second time."""

    def __init__(self) -> None:
        self.told: list[tuple[str, int, dict[str, str]]] = []

    def track(self, run: str, step: int, figures: Any) -> None:
        if len(self.told) == 1:
            raise RuntimeError("the clause reads so and so")
        self.told.append((run, step, dict(figures)))


def test_a_tracker_is_told_numbers_and_cannot_stop_a_run(begin: Begin) -> None:
    """It gets exact numbers and no word; once it fails it is told no more, the record stands, and the diary says so without its words."""
    folder, tracker = begin(), Failing()
    folder.tell(tracker)
    for update in (1, 2, 3):
        folder.record(update, {"loss": 0.5, "state": "a word"})
    assert tracker.told == [("first", 1, {"loss": "1/2"})]
    assert folder.last_update == 3
    page = folder.finish({}, plots=False).read_text(encoding="utf-8")
    assert "The tracker failed at update 2 (RuntimeError)" in page
    assert "so and so" not in page


def test_facts_of_the_caller_add_to_those_of_the_machine(begin: Begin) -> None:
    """A kind that both have is joined, the caller's word standing; what is no plain JSON begins no run."""
    folder = begin(facts={"versions": {"policy": "1.2.0", "python": "3.12.0"}, "hashes": {"data": "e" * 64}})
    assert begun_of(folder.path)["facts"] == {
        "hardware": {"cores": "2"},
        "versions": {"python": "3.12.0", "policy": "1.2.0"},
        "hashes": {"data": "e" * 64},
    }
    with pytest.raises(GivenValueError, match="no plain JSON"):
        begin(run_id="second", facts={"hashes": {"data": object()}})
    assert run_ids(folder.path.parent) == ("first",)


def test_half_a_character_of_a_model_is_kept(begin: Begin) -> None:
    """A lone surrogate in a response or a result ends neither the record nor the diary."""
    folder = begin()
    folder.rollouts(1, [{"item": "a", "response": "x\ud800"}])
    assert [row["row"]["response"] for row in folder.rows(ROLLOUTS)] == ["x\ud800"]
    page = folder.finish({"said": "y\ud800"}, plots=False)
    assert "| said | y |" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("torn", [b"{", b'{"figures":{},"upd', b"x" * 70_000])
def test_a_torn_line_is_cut_away_before_the_next(torn: bytes, begin: Begin) -> None:
    """Gone on with and not cut, a run whose last line was torn has the whole lines and no other, also where the torn one is long."""
    folder = begin()
    folder.record(1, {"loss": 1.0})
    with (folder.path / SERIES).open("ab") as stream:
        stream.write(torn)
    again = RunFolder.open(folder.path.parent, "first", now=Clock())
    again.record(2, {"loss": 0.5})
    assert [(row["update"], row["figures"]["loss"]) for row in again.rows(SERIES)] == [(1, 1.0), (2, 0.5)]
    with (folder.path / NOTES).open("ab") as stream:
        stream.write(torn)
    again.deviated(2, "A note.")
    assert [row["said"] for row in again.rows(NOTES)] == ["A note."]


def test_a_folder_that_cannot_be_made_is_said(begin: Begin, tmp_path: Path) -> None:
    """Where the root is a file, the refusal is ours and names the folder."""
    (tmp_path / "root").write_text("")
    with pytest.raises(UsageError, match=r"first cannot be made: "):
        begin(root=tmp_path / "root")
