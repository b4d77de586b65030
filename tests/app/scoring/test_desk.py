"""The registry, replays and drift through the desk, with scorers that work and scorers that do not."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformed.app.scoring.desk import ScoringDesk
from conformed.app.scoring.told import drift_lines, list_lines, replay_lines
from conformed.errors import ConformedError, PluginError, PolicyError, UsageError

Desk = Callable[..., ScoringDesk]


def _by_length(items: Any) -> tuple[float, ...]:
    return tuple(float(len(one["response"])) for one in items)


def _by_brevity(items: Any) -> tuple[float, ...]:
    return tuple(-float(len(one["response"])) for one in items)


def test_the_registry(desk: Desk, workspace: Path) -> None:
    """Plugins stand beside their cards; one without a card, a card without a plugin, and an old card are named."""
    made = desk(length=_by_length)
    (workspace / "policies" / "scorers" / "ghost.yaml").write_text(
        (workspace / "policies" / "scorers" / "length.yaml").read_text().replace(": length", ": ghost"), encoding="utf-8"
    )
    (workspace / "policies" / "scorers" / "older.yaml").write_text(
        (workspace / "policies" / "scorers" / "length.yaml").read_text()
        .replace("scorer_id: length", "scorer_id: older").replace("version: 1.0.0", "version: 0.9.0"), encoding="utf-8",
    )  # fmt: skip
    rows = {one.name: one for one in made.scorers()}
    assert sorted(rows) == ["ghost", "length", "outcome", "process", "recalculation", "tokens"]
    assert [card.scorer_id for card in rows["recalculation"].cards] == ["recalculation"]
    assert rows["recalculation"].note == ""
    assert rows["outcome"].note == "no card: it may not be used"
    assert rows["ghost"].note == "no such plugin is installed"
    assert rows["length"].note == "card of another version: older 1.0.0"
    text = "\n".join(list_lines(rows.values()))
    assert "outcome 1.0.0" in text
    assert "never calibrated: no confidence" in text


def test_a_card_has_its_files_name(desk: Desk, workspace: Path) -> None:
    """A card under another file's name is refused: a name must find one card."""
    made = desk(length=_by_length)
    folder = workspace / "policies" / "scorers"
    (folder / "longer.yaml").write_text((folder / "length.yaml").read_text(), encoding="utf-8")
    with pytest.raises(PolicyError, match=r"longer\.yaml:1:12: the scorer 'length' has the card longer\.yaml"):
        made.scorers()


def test_a_replay_is_the_same_bytes(desk: Desk, bank: Path) -> None:
    """Again and in a new desk: the record has the same bytes, names its inputs by hash, and has every candidate."""
    first = desk(length=_by_length).replay("length", bank)
    again = desk(length=_by_length).replay("length", bank)
    assert first.model_dump_json() == again.model_dump_json()
    assert len(first.rows) == len(bank.read_text().splitlines())
    assert len(first.bank_sha256) == len(first.card_sha256) == 64
    assert "for a person" in "\n".join(replay_lines(first))


def test_the_order_of_the_bank_does_not_show(desk: Desk, bank: Path) -> None:
    """The lines turned around give another hash and the same scores and selections."""
    first = desk(length=_by_length).replay("length", bank)
    bank.write_text("\n".join(reversed(bank.read_text().splitlines())))
    again = desk(length=_by_length).replay("length", bank)
    assert again.bank_sha256 != first.bank_sha256
    assert (again.rows, again.selected) == (first.rows, first.selected)


def test_a_scorer_sees_what_its_card_says_and_nothing_else(desk: Desk, bank: Path) -> None:
    """No label and no generator goes in, and none of the fields that the card leaves out."""
    seen: list[dict[str, Any]] = []

    def spy(items: Any) -> tuple[float, ...]:
        seen.extend(items)
        return (0.0,) * len(items)

    desk(spy=spy).replay("spy", bank)
    assert {tuple(sorted(one)) for one in seen} == {("answer", "prompt", "response")}
    assert "careful 1" not in json.dumps(seen)


@pytest.mark.parametrize(
    "returned",
    [
        lambda items: (math.nan,) * len(items),
        lambda items: (0.5,) * (len(items) - 1) + (math.inf,),
        lambda items: (True,) * len(items),
        lambda items: (0.5,) * (len(items) - 1),
        lambda items: None,
        lambda items: 1 / 0,
        lambda items: items[0]["outcome"],
    ],
)
def test_a_scorer_that_fails_selects_nothing(desk: Desk, bank: Path, returned: Any) -> None:
    """Non-finite scores, bools, too few, none, an exception, and a field that it may not see: refused, no replay."""
    with pytest.raises(ConformedError):
        desk(bad=returned).replay("bad", bank)


def test_an_exception_of_a_scorer_is_named(desk: Desk, bank: Path) -> None:
    """No foreign exception comes out: it is the plugin's failure, with its kind."""

    def broken(items: Any) -> Any:
        raise RuntimeError("out of cheese")

    with pytest.raises(PluginError, match=r"the scorer broken 1\.0\.0 raised RuntimeError: out of cheese"):
        desk(broken=broken).replay("broken", bank)


def test_a_card_of_another_version_is_not_used(desk: Desk, bank: Path, workspace: Path) -> None:
    """What a card says was found of one version holds for no other."""
    made = desk(length=_by_length)
    card = workspace / "policies" / "scorers" / "length.yaml"
    card.write_text(card.read_text().replace("\nversion: 1.0.0", "\nversion: 0.9.0"), encoding="utf-8")
    with pytest.raises(PluginError, match=r"is of length 0\.9\.0, and 1\.0\.0 is installed"):
        made.replay("length", bank)


def test_a_scorer_without_a_card(desk: Desk, bank: Path) -> None:
    """A registered plugin that nobody answers for cannot be replayed."""
    with pytest.raises(UsageError, match="no scorer 'process'"):
        desk().replay("process", bank)


def test_the_deterministic_scorer_selects_what_is_right(desk: Desk, bank: Path) -> None:
    """Recalculation takes a right candidate wherever there is one and leaves the rest to a person."""
    found = desk().replay("recalculation", bank)
    assert found.selection.incorrect == found.selection.error == 0
    assert found.selection.correct > 0
    known: dict[str, set[str]] = {}
    for line in bank.read_text().splitlines():
        one = json.loads(line)
        known.setdefault(one["item"], set()).add(one["outcome"])
    assert found.selection.correct == sum("correct" in outcomes for outcomes in known.values())


def test_a_scorer_that_likes_length_is_caught(desk: Desk, bank: Path) -> None:
    """In the place of recalculation a scorer of length regresses, by selections; the bounds of the old card are passed."""
    found = desk(length=_by_length).drift("recalculation", "length", bank)
    assert found.parts[0].regressed > found.parts[0].improved == 0
    assert found.parts[0].p_value < 1e-6
    assert found.new.length_correlation == pytest.approx(1)
    assert any("regressed" in one for one in found.passed_bounds)
    first = next(iter(drift_lines(found)))
    assert "a person must look before length 1.0.0 is used" in first


def test_the_same_order_is_no_drift(desk: Desk, bank: Path) -> None:
    """Half the length as score selects as the length does: nothing changed, whatever the numbers."""
    made = desk(length=_by_length, half=lambda items: tuple(one / 2 for one in _by_length(items)), short=_by_brevity)
    same = made.drift("length", "half", bank)
    assert (same.changes, same.disagreement.successes) == ((), 0)  # type: ignore[union-attr]
    assert made.drift("length", "short", bank).changes


def test_without_torch_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch, installed: Any) -> None:
    """A learned scorer without the extra names the extra; another module that is missing is no such thing."""
    from conformed_plugins import builtin

    def lacks(name: str) -> Any:
        def lacking(module: str) -> Any:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

        return lacking

    options = {"weights": "w", "sha256": "0" * 64}
    monkeypatch.setattr(builtin, "import_module", lacks("torch"))
    with pytest.raises(PluginError, match=r"pip install 'conformed\[ml\]'"):
        installed.create("scorer", "process", options)
    monkeypatch.setattr(builtin, "import_module", lacks("other"))
    with pytest.raises(PluginError, match="ModuleNotFoundError"):
        installed.create("scorer", "process", options)
