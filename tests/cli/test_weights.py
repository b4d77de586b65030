"""``weights final``, ``propose``, ``promote``, ``list`` and ``show`` as people type them, one after another at the keys."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformed.app.people import account
from conformed.people.person import Identified

Sit = Callable[[str], None]


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The workspace of the application's own tests, with nothing of this user's environment."""
    monkeypatch.setenv("CONFORMED_STATE", str(tmp_path / "state"))
    for name in ("NO_COLOR", "FORCE_COLOR", "CONFORMED_DEBUG", "CONFORMED_WORKSPACE", "CONFORMED_LOG_URL"):
        monkeypatch.delenv(name, raising=False)
    spec = importlib.util.spec_from_file_location(
        "weights_house_of_app", Path(__file__).parents[1] / "app" / "weights" / "weights_house.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made = module.WeightsHouse(tmp_path / "bank")
    monkeypatch.chdir(made.folder)
    return made


@pytest.fixture
def sit(monkeypatch: pytest.MonkeyPatch) -> Sit:
    """Puts somebody at the keys."""

    def put(name: str) -> None:
        monkeypatch.setattr(account, "system_account", lambda: Identified(f"os:{name}", name, f"os:{name}:1", "os-account"))

    return put


def test_from_an_evaluation_to_a_name(typed: Any, house: Any, sit: Sit) -> None:
    """Each command prints what the next one needs; the last shows the hash for a contract, and the log verifies."""
    folder = str(house.weights())
    sit("anna")
    used = typed("weights", "final", folder, "--report", str(house.report()), "--gates", "extractor")
    assert used.code == 0, used.err
    use = used.out.split()[1]
    again = typed("weights", "final", folder, "--report", str(house.report()), "--gates", "extractor")
    assert (again.code, again.out) == (2, "")
    assert "was used for covenants by anna" in again.err
    proposed = typed(
        "weights", "propose", "extractor-small", folder, "--report", str(house.report(use=use)), "--gates", "extractor", "--json"
    )
    assert proposed.code == 0, proposed.err
    proposal = json.loads(proposed.out)["proposal"]
    own = typed("weights", "promote", "extractor-small", proposal, folder)
    assert (own.code, own.out) == (1, "")
    assert "Nobody reviews their own proposal" in own.err
    sit("bruno")
    moved = typed("weights", "promote", "extractor-small", proposal, folder)
    assert moved.code == 0, moved.err
    assert house.manifest() in moved.out
    rows = json.loads(typed("weights", "list", "--json").out)
    assert [(row["alias"], row["manifest"], row["open"]) for row in rows] == [("extractor-small", house.manifest(), 0)]
    assert typed("weights", "list").out.startswith(f"extractor-small          {house.manifest()}  ")
    assert f"In a contract: manifest: {house.manifest()}" in typed("weights", "show", "extractor-small").out
    assert json.loads(typed("weights", "show", "extractor-small", "--json").out)["manifest"] == house.manifest()
    assert house.manifest() in typed("log", "show", proposal, "--json").out
    assert typed("log", "verify").code == 0
    for words in (("replay",), ("accept",), ("override", "--code", "x", "--answers", "y", "--reason", "z")):
        said = typed(words[0], proposal, *words[1:])
        assert (said.code, said.out) == (2, "")
        assert f"{proposal} is a proposal about weights, and no run." in said.err


def test_a_name_goes_back(typed: Any, house: Any, sit: Sit) -> None:
    """The way back is proposed with a reason and confirmed by another."""
    house.promote()
    house.promote("second", data="e" * 64)
    sit("anna")
    words = ("weights", "propose", "extractor-small", str(house.weights()), "--back-to", house.manifest()[:8])
    assert "No reason is given." in typed(*words).err
    said = typed(*words, "--reason", "More reviews.")
    assert ", for which it stood before" in said.out
    sit("clara")
    done = typed("weights", "promote", "extractor-small", said.out.split()[1], str(house.weights()), "--json")
    assert (json.loads(done.out)["manifest"], json.loads(done.out)["confirmed_by"]) == (house.manifest(), "clara")


def test_what_is_typed_wrong_is_one_sentence(typed: Any, house: Any, sit: Sit) -> None:
    """No log, no such name, file, gates, proposal or folder; two ways at once: an exit code and a sentence with the mend."""
    sit("anna")
    folder, report = str(house.weights()), str(house.report())
    assert "There is no log at" in typed("weights", "list").err
    house.propose()
    for words, said in (
        (("show", "none"), "Names: extractor-small."),
        (("propose", "extractor-small", folder), "Give --report FILE --gates NAME for new weights, or --back-to HASH"),
        (
            ("propose", "x", folder, "--report", report, "--gates", "extractor", "--back-to", "ab"),
            "It is not said what is proposed.",
        ),
        (("propose", "Bad Name", folder, "--report", report, "--gates", "extractor"), "is no name for weights"),
        (("propose", "x", folder, "--report", "none.json", "--gates", "extractor"), "none.json cannot be read"),
        (("propose", "x", folder, "--report", report, "--gates", "none"), "There are no gates 'none'."),
        (("promote", "extractor-small", "w-000000000000", folder), "There is no proposal 'w-000000000000'"),
        (("promote", "extractor-small"), "PROPOSAL is missing."),
    ):
        done = typed("weights", *words)
        assert (done.code, done.out) == (2, ""), words
        assert said in done.err
        assert done.err.count("\n") == 1
    missing = typed("weights", "final", "nowhere", "--report", report, "--gates", "extractor")
    assert missing.code == 1
    assert "the folder nowhere cannot be read" in missing.err
