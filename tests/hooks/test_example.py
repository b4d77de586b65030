"""The example plugin: loaded as a stranger's, and each of its parts really used."""

from __future__ import annotations

import datetime as dt
import importlib
import importlib.metadata
import importlib.util
import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from conformed.errors import PluginError
from conformed.hooks import Registry, WrittenRecord, load_registry
from conformed.model.claim import Claim, ClaimKind, Sentence
from conformed.model.document import Document, Refusal
from conformed.model.pack import CaseFile, Manifest, Question
from conformed.ports import DraftRequest, ExtractRequest

EXAMPLE = Path(__file__).parents[2] / "examples" / "conformed-plugin-hello"
MEMO = b"memo/1\nThe parties agree that Total Leverage shall not exceed 3.75 to 1.00 on each test date.\n"


@pytest.fixture
def hello(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    """The example's source with the metadata that its pyproject asks for."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    info = tmp_path / "conformed_plugin_hello-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    lines = [f"{name} = {value}" for name, value in project["entry-points"]["conformed.plugins"].items()]
    (info / "entry_points.txt").write_text("\n".join(["[conformed.plugins]", *lines, ""]))
    monkeypatch.syspath_prepend(str(EXAMPLE))
    importlib.invalidate_caches()
    (distribution,) = importlib.metadata.distributions(path=[str(tmp_path)])
    yield load_registry(env={}, entry_points=distribution.entry_points)
    for name in [one for one in sys.modules if one.partition(".")[0] == "conformed_plugin_hello"]:
        del sys.modules[name]


def _case(document: Document) -> CaseFile:
    day = dt.date(2024, 12, 31)
    return CaseFile(
        pack="p",
        digest="0" * 64,
        borrower=None,
        question=Question(test_date=day, known_at=day),
        manifest=Manifest(),
        documents=(document,),
        trees=(),
        instruments=(),
    )


def test_from_bytes_to_a_proposal_with_its_words(hello: Registry) -> None:
    """Reader, retriever and extractor of a stranger work together; every span is the text that it cites."""
    reader = hello.create("reader", "memo", {})
    assert reader.accepts("a.pdf", MEMO)
    assert not reader.accepts("a.memo", b"%PDF-1.7")
    document = reader.read("a.memo", MEMO)
    retrieved = hello.create("retriever", "everything", {}).retrieve(_case(document))
    extraction = hello.create("extractor", "one-sentence", {}).extract(ExtractRequest(case=_case(document), retrieved=retrieved))
    (operation,) = extraction.operations
    limit = operation.terms[0].rows[0].limit
    assert limit.value == Fraction(15, 4)
    assert limit.spans[0].text == "3.75" == document.text[limit.spans[0].start : limit.spans[0].end]
    assert isinstance(reader.read("b.memo", b"memo/1\n\xff"), Refusal)


def test_claims_in_other_words(hello: Registry) -> None:
    """The drafter words each claim once, carries run and pack, and its option is used; the verifier tightens."""
    claims = (
        Claim(id="c1", kind=ClaimKind.FACT, subject="Total Leverage", comparator="le", shown="3.75x"),
        Claim(id="c2", kind=ClaimKind.REASON, subject="code", text="Level stated in the agreement."),
    )
    drafter = hello.create("drafter", "plain-words", {"closing": "Please check the file."})
    (draft,) = drafter.draft(DraftRequest(run="r1", pack_digest="0" * 64, claims=claims))
    assert [one.text for one in draft.sentences] == [
        "Total Leverage: ≤ 3.75x.",
        "Level stated in the agreement.",
        "Please check the file.",
    ]
    assert (draft.run, draft.pack_digest) == ("r1", "0" * 64)
    verifier = hello.create("verifier", "short-sentences", {"most_words": 2})
    outcomes = [
        verifier.verify(Sentence(text=text, kind=ClaimKind.FACT, claims=("c1",)), claims).outcome
        for text in ("two words", "three words now")
    ]
    assert outcomes == ["accept", "review"]
    with pytest.raises(PluginError, match="refuses the option 'closin'"):
        hello.create("drafter", "plain-words", {"closin": "x"})


def test_model_parts(hello: Registry) -> None:
    """Backend, scorer and trainer give what their ports say."""
    ((first, second),) = hello.create("backend", "echo", {}).generate(["a\nbc"], samples=2, seed=1, options={})
    assert first == second
    assert (first.text, first.tokens, first.stop) == ("bc", (98, 99), "eos")
    assert hello.create("scorer", "brevity", {}).score([{"text": "one two"}, {}]) == (Fraction(1, 3), Fraction(1))
    assert hello.create("trainer", "dry-run", {}).train({"items": [1, 2, 3], "batch": 2}) == {"steps": [2, 1], "trained": False}


def test_parts_that_meet_the_outside(hello: Registry, tmp_path: Path) -> None:
    """Executor in order; a sink that never overwrites; a tracker; a command with exit codes."""
    assert list(hello.create("executor", "one-by-one", {}).run(lambda n: n * n, [3, 1, 2])) == [9, 1, 4]
    sink = hello.create("sink", "folder", {"folder": str(tmp_path)})
    assert (sink.name, sink.outside) == ("folder", True)
    note = "bank.example/log\n7\nroot\n\n"
    assert [sink.put(note, lambda old: ()) for _ in range(2)] == ["7.txt", "7.txt"]
    with pytest.raises(ValueError, match="stored with other bytes"):
        sink.put(note.replace("root", "other"), lambda old: ())
    with pytest.raises(ValueError, match="invalid literal"):
        sink.put("bank.example/log\n../7\nroot\n\n", lambda old: ())
    assert (tmp_path / "7.txt").read_text() == note
    hello.create("tracker", "lines", {"file": str(tmp_path / "figures")}).track("r1", 2, {"loss": "3/4", "accuracy": "1/2"})
    assert (tmp_path / "figures").read_text() == "r1 2 accuracy 1/2\nr1 2 loss 3/4\n"
    said: list[str] = []
    command = hello.create("command", "hello", {})
    assert (command.run(["Ada"], said.append), command.run([], said.append)) == (0, 2)
    assert said[0] == "Hello, Ada."


def test_it_refuses_and_observes(hello: Registry) -> None:
    """check_policy refuses with its name; record_written sees the record."""
    assert hello.check_policy({"retention": {"keep": ["decision_record"]}}, "") == ()
    (refusal,) = hello.check_policy({"retention": {"keep": ["scratch_text"]}}, "")
    assert refusal.startswith("hello of conformed-plugin-hello 0.1.0: scratch_text is kept")
    assert hello.record_written(WrittenRecord("c", 0, "case.opened", "0" * 64, b"{}")) == ()
    assert importlib.import_module("conformed_plugin_hello.watching").SEEN["case.opened"] == 1


SCRIPT = """
import json, os
from conformed.hooks import load_registry
registry = load_registry(env={"CONFORMED_LOAD_PLUGINS": "hello"})
document = registry.create("reader", "memo", {}).read("a.memo", b"memo/1\\nwords")
print(json.dumps({"text": document.text, "plugins": registry.manifest()["plugins"], "count": len(registry.registrations)}))
"""


def test_installed_by_pip_it_is_found_and_used(tmp_path: Path) -> None:
    """Built from its own pyproject and installed by pip, the plugin is found by its entry point and reads a document."""
    if importlib.util.find_spec("hatchling") is None or importlib.util.find_spec("pip") is None:
        pytest.skip("pip and hatchling are needed to build the example, and one is absent")
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        "--disable-pip-version-check",
    ]
    built = subprocess.run([*pip, "--target", str(tmp_path), str(EXAMPLE)], capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert ran.returncode == 0, ran.stderr
    seen = json.loads(ran.stdout)
    assert (seen["text"], seen["count"]) == ("words", 12)
    (plugin,) = seen["plugins"]
    assert (plugin["distribution"], plugin["version"], len(plugin["digest"])) == ("conformed-plugin-hello", "0.1.0", 64)
    assert not (EXAMPLE / "build").exists()
    assert not (EXAMPLE / "dist").exists()
