"""Trackers get figures and nothing else, on this machine, from stand-ins of the two services; and from the real ones where installed."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from conformed.errors import GivenTypeError, GivenValueError, PluginError
from conformed.ports import Tracker
from conformed_plugins.trackers.figures import as_text, checked
from conformed_plugins.trackers.mlflow import MlflowTracker
from conformed_plugins.trackers.options import MlflowOptions, TrackioOptions
from conformed_plugins.trackers.trackio import TrackioTracker


class FakeTrackio(ModuleType):
    """As much of trackio as the tracker uses; it remembers what it is told."""

    def __init__(self, folder: Path) -> None:
        super().__init__("trackio")
        self.utils = ModuleType("trackio.utils")
        self.utils.TRACKIO_DIR = folder  # type: ignore[attr-defined]
        self.begun: list[dict[str, Any]] = []
        self.logged: list[tuple[dict[str, float], int]] = []
        self.finished = 0
        self.fails = False

    def init(self, **given: Any) -> Any:
        sys.stdout.write("* a page is open at ...\n")
        self.begun.append(given)
        return SimpleNamespace(log=self._log, finish=self.finish)

    def _log(self, figures: dict[str, float], *, step: int) -> None:
        if self.fails:
            raise OSError("the clause says so and so")
        self.logged.append((figures, step))

    def finish(self) -> None:
        sys.stdout.write("* finished\n")
        self.finished += 1


@pytest.fixture
def trackio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeTrackio:
    """The stand-in, in the place of the module."""
    fake = FakeTrackio(tmp_path / "trackio")
    monkeypatch.setitem(sys.modules, "trackio", fake)
    monkeypatch.setitem(sys.modules, "trackio.utils", fake.utils)
    return fake


class FakeMlflow:
    """As much of MLflow's client as the tracker uses, with a memory that outlives a client."""

    uris: list[str]

    def __init__(self) -> None:
        self.uris, self.experiments, self.runs, self.logged, self.fails = [], {}, {}, [], False

    def client(self, *, tracking_uri: str) -> Any:
        self.uris.append(tracking_uri)
        return self

    def get_experiment_by_name(self, name: str) -> Any:
        return SimpleNamespace(experiment_id=self.experiments[name]) if name in self.experiments else None

    def create_experiment(self, name: str, where: str) -> str:
        self.experiments[name] = f"{name}@{where}"
        return str(self.experiments[name])

    def search_runs(self, experiments: list[str], *, filter_string: str) -> list[Any]:
        assert filter_string.startswith("tags.`conformed.run` = '")
        name = filter_string.split("'")[1]
        return [self.runs[name]] if name in self.runs else []

    def create_run(self, experiment: str, *, run_name: str, tags: dict[str, str]) -> Any:
        one = SimpleNamespace(info=SimpleNamespace(run_id=f"id-{run_name}"))
        self.runs[tags["conformed.run"]] = one
        return one

    def log_metric(self, run: str, name: str, value: float, *, step: int) -> None:
        if self.fails:
            raise OSError("the clause says so and so")
        self.logged.append((run, name, value, step))


@pytest.fixture
def mlflow(monkeypatch: pytest.MonkeyPatch) -> FakeMlflow:
    """The stand-in, in the place of the modules."""
    fake = FakeMlflow()
    tracking = ModuleType("mlflow.tracking")
    tracking.MlflowClient = fake.client  # type: ignore[attr-defined]
    for name, module in (("mlflow", ModuleType("mlflow")), ("mlflow.tracking", tracking)):
        monkeypatch.setitem(sys.modules, name, module)
    for name in ("alembic", "sqlalchemy"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    return fake


FIGURES = {"loss": "-1/4", "evaluation.unseen.accuracy": "0.5", "code:wrong": "3"}
PLAIN = {"loss": -0.25, "evaluation.unseen.accuracy": 0.5, "code:wrong": 3.0}


def test_figures_go_exactly_and_words_stay() -> None:
    """Every number is written exactly and read back as the same double; a text is not among them."""
    figures = {"loss": 0.1, "responses": 64, "state": "The Borrower shall", "nothing": -0.0}
    told = as_text(figures)
    assert told == {"loss": "3602879701896397/36028797018963968", "responses": "64", "nothing": "0"}
    assert checked(1, told) == {"loss": 0.1, "responses": 64.0, "nothing": 0.0}


@pytest.mark.parametrize(
    ("step", "figures", "kind"),
    [
        (1, {"loss": "The Borrower shall"}, GivenValueError),
        (1, {"loss": "nan"}, GivenValueError),
        (1, {"loss": "1" + "0" * 400}, GivenValueError),
        (1, {"loss": 0.5}, GivenTypeError),
        (1, {"The Borrower shall": "1"}, GivenValueError),
        (1, {"a" * 121: "1"}, GivenValueError),
        (-1, {"loss": "1"}, GivenTypeError),
        (True, {"loss": "1"}, GivenTypeError),
    ],
)
def test_no_text_passes(
    step: Any, figures: Any, kind: type[Exception], trackio: FakeTrackio, mlflow: FakeMlflow, tmp_path: Path
) -> None:
    """Whatever is not a series' name with an exact number is refused by both before the service hears of it, and not repeated."""
    for tracker in (
        TrackioTracker(TrackioOptions(folder=tmp_path / "trackio"), {}),
        MlflowTracker(MlflowOptions(folder=tmp_path / "mlflow"), {}),
    ):
        with pytest.raises(kind) as told:
            tracker.track("a", step, figures)
        assert "Borrower" not in str(told.value)
    assert trackio.begun == []
    assert mlflow.runs == {}


def test_trackio_is_told_quietly_and_here(trackio: FakeTrackio, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One run is begun once, gone on with by name, without a page, a probe of the machine, or a printed word."""
    environment: dict[str, str] = {}
    tracker = TrackioTracker(TrackioOptions(folder=tmp_path / "trackio"), environment)
    assert isinstance(tracker, Tracker)
    for step in (1, 2):
        tracker.track("first", step, FIGURES)
    tracker.track("second", 1, {"loss": "1"})
    tracker.close()
    assert environment == {"TRACKIO_DIR": str(tmp_path / "trackio")}
    assert [one["name"] for one in trackio.begun] == ["first", "second"]
    assert all(
        one["resume"] == "allow" and not (one["embed"] or one["auto_log_gpu"] or one["auto_log_cpu"]) for one in trackio.begun
    )
    assert not {"space_id", "server_url", "bucket_id", "webhook_url", "config"} & trackio.begun[0].keys()
    assert trackio.logged == [(PLAIN, 1), (PLAIN, 2), ({"loss": 1.0}, 1)]
    assert trackio.finished == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("name", ["TRACKIO_SPACE_ID", "TRACKIO_SERVER_URL", "TRACKIO_BUCKET_ID", "TRACKIO_WEBHOOK_URL"])
def test_trackio_sends_nothing_away(name: str, trackio: FakeTrackio, tmp_path: Path) -> None:
    """A variable by which trackio would send figures to another machine is refused by its name, and not by its value."""
    with pytest.raises(PluginError, match=f"{name} is set: figures would leave") as told:
        TrackioTracker(TrackioOptions(folder=tmp_path / "trackio"), {name: "a-secret"})
    assert "a-secret" not in str(told.value)


def test_trackio_of_another_folder_is_refused(trackio: FakeTrackio, tmp_path: Path) -> None:
    """Loaded earlier for another folder, trackio would write there: that is refused."""
    with pytest.raises(PluginError, match="another folder"):
        TrackioTracker(TrackioOptions(folder=tmp_path / "other"), {})


def test_mlflow_writes_here_and_goes_on(mlflow: FakeMlflow, tmp_path: Path) -> None:
    """Its database and artifacts are in the folder, its reports are off, and a second process finds experiment and run again."""
    environment = {"MLFLOW_TRACKING_URI": "http://somewhere"}
    options = MlflowOptions(folder=tmp_path / "mlflow")
    for step in (1, 2):
        tracker = MlflowTracker(options, environment)
        assert isinstance(tracker, Tracker)
        tracker.track("first", step, {"loss": f"{step}/2"})
        tracker.track("first", step, {"code:wrong": "3"})
    folder = (tmp_path / "mlflow").absolute()
    assert mlflow.uris == [f"sqlite:///{folder / 'mlflow.db'}"] * 2
    assert mlflow.experiments == {"conformed": f"conformed@{(folder / 'artifacts').as_uri()}"}
    assert list(mlflow.runs) == ["first"]
    assert mlflow.logged == [
        ("id-first", "loss", 0.5, 1),
        ("id-first", "code:wrong", 3.0, 1),
        ("id-first", "loss", 1.0, 2),
        ("id-first", "code:wrong", 3.0, 2),
    ]
    assert environment["MLFLOW_DISABLE_TELEMETRY"] == environment["DO_NOT_TRACK"] == "true"


def test_a_run_s_name_is_no_query(mlflow: FakeMlflow, tmp_path: Path) -> None:
    """Quotation marks in a name end no filter."""
    tracker = MlflowTracker(MlflowOptions(folder=tmp_path / "mlflow"), {})
    tracker.track("a' OR '1' = '1", 1, {"loss": "1"})
    assert list(mlflow.runs) == ["a OR 1 = 1"]


def test_a_service_that_fails_is_our_error_without_its_words(trackio: FakeTrackio, mlflow: FakeMlflow, tmp_path: Path) -> None:
    """Whatever a service raises leaves as PluginError with its type alone."""
    trackio.fails = mlflow.fails = True
    for tracker in (
        TrackioTracker(TrackioOptions(folder=tmp_path / "trackio"), {}),
        MlflowTracker(MlflowOptions(folder=tmp_path / "mlflow"), {}),
    ):
        with pytest.raises(PluginError, match=r"failed \(OSError\)") as told:
            tracker.track("a", 1, {"loss": "1"})
        assert "so and so" not in str(told.value)


def test_a_store_that_cannot_be_opened_is_said(mlflow: FakeMlflow, tmp_path: Path) -> None:
    """A folder that is a file is refused when the tracker is made."""
    (tmp_path / "mlflow").write_text("")
    with pytest.raises(PluginError, match=r"MLflow failed \(FileExistsError\)"):
        MlflowTracker(MlflowOptions(folder=tmp_path / "mlflow"), {})


@pytest.mark.parametrize("absent", ["trackio", "mlflow.tracking", "alembic", "sqlalchemy"])
def test_what_is_not_installed_is_said(
    absent: str, trackio: FakeTrackio, mlflow: FakeMlflow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the service, or the database library that it needs, the sentence names it and the extra."""
    monkeypatch.setitem(sys.modules, absent, None)
    extra = "trackio" if absent == "trackio" else "mlflow"

    def make() -> object:
        if absent == "trackio":
            return TrackioTracker(TrackioOptions(folder=tmp_path / "trackio"), {})
        return MlflowTracker(MlflowOptions(folder=tmp_path / "mlflow"), {})

    name = absent.partition(".")[0]
    with pytest.raises(PluginError, match=rf"{name}\S* is not installed\. pip install 'conformed\[{extra}\]'"):
        make()


def test_making_none_loads_none() -> None:
    """The modules of the trackers load neither service."""
    code = (
        "import sys, conformed_plugins.trackers.mlflow, conformed_plugins.trackers.trackio;"
        "print(sorted({'mlflow', 'trackio'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


REAL = """
import json, sys
from pathlib import Path
from conformed_plugins.trackers.mlflow import MlflowTracker
from conformed_plugins.trackers.options import MlflowOptions, TrackioOptions
from conformed_plugins.trackers.trackio import TrackioTracker
name, folder = sys.argv[1], Path(sys.argv[2])
for step in (1, 2):
    if name == "trackio":
        tracker = TrackioTracker(TrackioOptions(folder=folder))
    else:
        tracker = MlflowTracker(MlflowOptions(folder=folder))
    tracker.track("first", step, {"loss": f"{step}/4", "code:wrong": "3"})
    if name == "trackio":
        tracker.close()
if name == "trackio":
    from trackio.sqlite_storage import SQLiteStorage
    found = [[row["step"], row["loss"], row["code:wrong"]] for row in SQLiteStorage.get_logs("conformed", "first")]
else:
    from mlflow.tracking import MlflowClient
    client = MlflowClient(tracking_uri=f"sqlite:///{folder / 'mlflow.db'}")
    (run,) = client.search_runs([client.get_experiment_by_name("conformed").experiment_id])
    history = {key: {one.step: one.value for one in client.get_metric_history(run.info.run_id, key)} for key in ("loss", "code:wrong")}
    found = [[step, history["loss"][step], history["code:wrong"][step]] for step in sorted(history["loss"])]
print(json.dumps(found))
"""


@pytest.fixture(params=["trackio", "mlflow"])
def installed(request: pytest.FixtureRequest) -> str:
    """A service that is installed here."""
    needed = ("trackio",) if request.param == "trackio" else ("mlflow", "alembic", "sqlalchemy")
    if any(importlib.util.find_spec(one) is None for one in needed):
        pytest.skip(f"{request.param} is not installed here")
    return str(request.param)


def test_the_real_service_has_the_figures(installed: str, tmp_path: Path) -> None:
    """Two trackers one after the other give one run with the figures of both, in a folder that only they write."""
    done = subprocess.run(
        [sys.executable, "-c", REAL, installed, str(tmp_path / "store")],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout.splitlines()[-1]) == [[1, 0.25, 3.0], [2, 0.5, 3.0]]
    assert [one.name for one in tmp_path.iterdir()] == ["store"]


def test_trackio_is_ended_once_from_any_thread(trackio: FakeTrackio, tmp_path: Path) -> None:
    """Closing ends the run also where trackio does not find it in the caller's context, once; tracking afterwards goes on with it."""
    tracker = TrackioTracker(TrackioOptions(folder=tmp_path / "trackio"), {})
    tracker.track("first", 1, FIGURES)
    ended: list[str] = []

    def elsewhere() -> None:
        raise RuntimeError("Call init first.")

    trackio.finish = elsewhere  # type: ignore[method-assign]
    tracker._run.finish = lambda: ended.append("run")
    tracker.close()
    tracker.close()
    assert ended == ["run"]
    tracker.track("first", 2, FIGURES)
    assert [one["name"] for one in trackio.begun] == ["first", "first"]
    del trackio.finish
    tracker.close()
