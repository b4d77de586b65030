"""The runner: each stage fails apart, nothing is generated twice, and the bytes do not depend on the order of work."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformed.errors import UsageError
from conformed.evaluation.items import Item, Versions
from conformed.evaluation.runner import Generated, Progress, RunConfig, Stages, evaluate, rescore, seed_of
from conformed.evaluation.runner.store import RAW
from conformed.model.answer import AnswerCheck, AnswerVerdict, Outcome

VERSIONS = Versions(extractor="e1", normaliser="n1", verifier="v1")
ITEMS = tuple(
    Item(id=f"q{n:02d}", prompt=f"{n} + 1?", reference=str(n + 1), split="test", source="made.jsonl", source_revision="1")
    for n in range(12)
)


def config(**changes: Any) -> RunConfig:
    """A run of the items above, three samples each."""
    plain = {"name": "r", "method": "m", "data": "0" * 64, "items": len(ITEMS), "samples": 3, "seed": 7, "versions": VERSIONS}
    return RunConfig(**{**plain, **changes})


class Model:
    """Answers right every other time; remembers what it was asked."""

    def __init__(self, *, sleep: bool = False) -> None:
        self.asked: list[tuple[str, tuple[int, ...]]] = []
        self._lock, self._sleep = threading.Lock(), sleep

    def __call__(self, item: Item, samples: Sequence[int], seed: int) -> Sequence[Generated]:
        """Responses."""
        if self._sleep:
            time.sleep(random.random() / 200)  # so that work ends in another order than it began
        with self._lock:
            self.asked.append((item.id, tuple(samples)))
        number = int(item.reference)
        return [Generated(f"={number + (seed + sample) % 2}|{item.id}", 5, 4, 2) for sample in samples]


def verify(asks: AnswerCheck, item: Item) -> AnswerVerdict:
    """Equality of text."""
    right = asks.candidate == asks.reference
    return AnswerVerdict(outcome=Outcome.CORRECT if right else Outcome.INCORRECT, code="equal" if right else "different")


def extract(text: str) -> tuple[str | None, str]:
    """What stands between the signs."""
    return (text[1:].partition("|")[0], "ok") if text.startswith("=") else (None, "missing_final")


def stages(model: Callable[..., Any] | None = None, **changes: Any) -> Stages:
    """Stages of which some are others."""
    whole = Stages(
        generate=model or Model(), extract=extract, normalise=lambda a, i: (a, "text"), verify=verify, versions=VERSIONS
    )
    return replace(whole, **changes)


def raise_(problem: BaseException) -> Any:
    """Raises."""
    raise problem


@pytest.mark.parametrize(
    ("changes", "outcome", "code"),
    [
        ({"generate": lambda i, s, seed: raise_(KeyError("x"))}, "error", "generate_exception:KeyError"),
        ({"generate": lambda i, s, seed: "abc"}, "error", "generate_malformed"),
        ({"generate": lambda i, s, seed: None}, "error", "generate_malformed"),
        ({"generate": lambda i, s, seed: [Generated("a", 1, 1, 1)]}, "error", "generate_malformed"),
        ({"generate": lambda i, s, seed: [Generated(7, 1, 1, 1)] * 3}, "error", "generate_malformed"),  # type: ignore[arg-type]
        ({"generate": lambda i, s, seed: [Generated("a", 1, -1, 1)] * 3}, "error", "generate_malformed"),
        ({"generate": lambda i, s, seed: [Generated("a", 1, 1, True)] * 3}, "error", "generate_malformed"),
        ({"generate": lambda i, s, seed: [Generated("\ud800", 1, 1, 1)] * 3}, "error", "generate_malformed"),
        ({"extract": lambda t: raise_(RecursionError())}, "error", "extract_exception:RecursionError"),
        ({"extract": lambda t: None}, "error", "extract_malformed"),
        ({"extract": lambda t: (3, "ok")}, "error", "extract_malformed"),
        ({"extract": lambda t: (None, "empty_final")}, "review", "empty_final"),
        ({"normalise": lambda a, i: raise_(ValueError())}, "error", "normalise_exception:ValueError"),
        ({"normalise": lambda a, i: ("x",)}, "error", "normalise_malformed"),
        ({"normalise": lambda a, i: (None, "unsupported_numeric_form")}, "review", "unsupported_numeric_form"),
        ({"verify": lambda a, i: raise_(TimeoutError())}, "error", "verify_exception:TimeoutError"),
        ({"verify": lambda a, i: "correct"}, "error", "verify_malformed"),
        ({"verify": lambda a, i: AnswerVerdict(outcome="correct", code="")}, "error", "verify_malformed"),
        ({"verify": lambda a, i: AnswerVerdict(outcome="review", code="timeout")}, "review", "timeout"),
    ],
)
def test_a_stage_that_fails_is_that_responses_error(tmp_path: Path, changes: dict[str, Any], outcome: str, code: str) -> None:
    """Whatever one stage does for one item, that item alone has the error, and never a correct answer."""
    whole = stages()

    def for_q03(name: str) -> Callable[..., Any]:
        def stage(*given: Any) -> Any:
            at = next((one for one in given if isinstance(one, Item)), given[0])
            mine = at.id == "q03" if isinstance(at, Item) else at.endswith("|q03")
            return changes[name](*given) if mine else getattr(whole, name)(*given)

        return stage

    name = next(iter(changes))
    run = evaluate(ITEMS, replace(whole, **{name: for_q03(name)}), config(), tmp_path)
    mine = [one for one in run.results if one.item == "q03"]
    assert [(one.outcome, one.code) for one in mine] == [(outcome, code)] * 3
    assert sum(one.outcome in ("correct", "incorrect") for one in run.results) == 3 * (len(ITEMS) - 1)


def test_the_same_bytes_whatever_the_order(tmp_path: Path) -> None:
    """One worker or six, items forwards or backwards: files and hash of the output are equal byte for byte."""
    one = evaluate(ITEMS, stages(), config(), tmp_path / "one")
    many = evaluate(ITEMS[::-1], stages(Model(sleep=True)), config(), tmp_path / "many", workers=6)
    assert (one.file, one.output) == (many.file, many.output)
    assert (tmp_path / "one" / one.file).read_bytes() == (tmp_path / "many" / many.file).read_bytes()
    assert [(r.item, r.sample) for r in one.results] == sorted((r.item, r.sample) for r in one.results)


def test_a_run_that_was_cut_off_at_any_byte_goes_on(tmp_path: Path) -> None:
    """What is kept is not generated again, what is not is, and the end is the same as of a run in one go."""
    whole = evaluate(ITEMS, stages(), config(), tmp_path / "whole")
    data = (tmp_path / "whole" / RAW).read_bytes()
    for at, cut in enumerate([*random.Random(5).sample(range(len(data)), 25), 0, len(data)]):
        folder = tmp_path / str(at)
        folder.mkdir()
        (folder / "config.json").write_bytes((tmp_path / "whole" / "config.json").read_bytes())
        (folder / RAW).write_bytes(data[:cut])
        model = Model()
        again = evaluate(ITEMS, stages(model), config(), folder, resume=True)
        assert again.output == whole.output
        assert sum(len(samples) for _item, samples in model.asked) == 3 * len(ITEMS) - data[:cut].count(b"\n")
        assert (folder / RAW).read_bytes().count(b"\n") == 3 * len(ITEMS)


def test_seeds_are_of_the_item_alone(tmp_path: Path) -> None:
    """Each item has its own seed, the same whatever else is asked."""
    run = evaluate(ITEMS, stages(), config(), tmp_path)
    assert {r.item: r.seed for r in run.results} == {item.id: seed_of(7, item.id) for item in ITEMS}
    assert len({r.seed for r in run.results}) == len(ITEMS)


def test_responses_are_judged_again_without_generating(tmp_path: Path) -> None:
    """Another parser version writes new results beside the old ones; the old file and the raw text stay as they were."""
    run = evaluate(ITEMS, stages(), config(), tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    newer = Versions(extractor="e2", normaliser="n1", verifier="v1")
    model = Model()
    again = rescore(ITEMS, stages(model, extract=lambda t: (None, "stricter"), versions=newer), tmp_path)
    assert model.asked == []
    assert {r.code for r in again.results} == {"stricter"}
    assert again.file != run.file
    assert {name: data for name, data in before.items() if (tmp_path / name).read_bytes() != data} == {}


def test_a_raw_response_that_was_changed_is_noticed(tmp_path: Path) -> None:
    """An edited line stops the run, naming file and line."""
    evaluate(ITEMS, stages(), config(), tmp_path)
    raw = (tmp_path / RAW).read_text().splitlines(keepends=True)
    raw[4] = raw[4].replace('"response":"=', '"response":"=9', 1)
    (tmp_path / RAW).write_text("".join(raw))
    with pytest.raises(UsageError, match=rf"{RAW}:5 is not as it was written"):
        evaluate(ITEMS, stages(), config(), tmp_path, resume=True)


@pytest.mark.parametrize(
    ("changes", "resume", "says"),
    [
        ({}, False, "There is a run"),
        ({"seed": 8}, True, "seed differ"),
        ({"method": "other"}, True, "method differ"),
        ({"data": "1" * 64}, True, "data differ"),
    ],
)
def test_another_run_is_not_taken_for_this_one(tmp_path: Path, changes: dict[str, Any], resume: bool, says: str) -> None:
    """A folder holds one run; another configuration is refused by the name of what differs."""
    evaluate(ITEMS, stages(), config(), tmp_path)
    with pytest.raises(UsageError, match=says):
        evaluate(ITEMS, stages(), config(**changes), tmp_path, resume=resume)


def test_items_and_configuration_must_fit(tmp_path: Path) -> None:
    """Doubled ids, another number of items, other versions and a resume of nothing are refused."""
    with pytest.raises(UsageError, match="'q00' stands twice"):
        evaluate((*ITEMS, ITEMS[0]), stages(), config(items=13), tmp_path)
    with pytest.raises(UsageError, match="12 items and the run is of 11"):
        evaluate(ITEMS, stages(), config(items=11), tmp_path)
    other = Versions(extractor="x", normaliser="x", verifier="x")
    with pytest.raises(UsageError, match="other versions"):
        evaluate(ITEMS, stages(), config(versions=other), tmp_path)
    with pytest.raises(UsageError, match="no run in"):
        evaluate(ITEMS, stages(), config(), tmp_path / "none", resume=True)


def test_progress_says_how_long_it_will_take(tmp_path: Path) -> None:
    """Each item is told once, counts end at the total, and the time left is at the pace so far."""
    ticks = iter(range(100))
    seen: list[Progress] = []
    evaluate(ITEMS, stages(), config(), tmp_path, progress=seen.append, monotonic=lambda: float(next(ticks)))
    assert [one.done for one in seen] == [3 * (n + 1) for n in range(12)]
    assert (seen[0].left_s, seen[-1].left_s) == (11, 0)


def test_a_disk_that_is_full_keeps_what_was_acknowledged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failed sync is one clear sentence; the run goes on from what the file holds."""
    import os

    from conformed.evaluation.runner import store

    calls = iter(range(100))

    def fsync(descriptor: int) -> None:
        if next(calls) == 5:
            raise OSError(28, "No space left on device")
        real(descriptor)

    real = os.fsync
    monkeypatch.setattr(store.os, "fsync", fsync)
    with pytest.raises(UsageError, match="No space left on device"):
        evaluate(ITEMS, stages(), config(), tmp_path)
    monkeypatch.undo()
    again = evaluate(ITEMS, stages(), config(), tmp_path, resume=True)
    assert again.output == evaluate(ITEMS, stages(), config(), tmp_path / "other").output
