"""``answer`` and every command that handles its runs: a real log, real plugins, and one person after another at the keys."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformed.app.people import account
from conformed.people.person import Identified

ROOT = Path(__file__).parents[2]
SUM: dict[str, Any] = {"id": "sum", "prompt": "What is 17*23?", "form": "symbolic", "check": "17*23"}
WORDS: dict[str, Any] = {"id": "words", "prompt": "Which colour is it?", "form": "symbolic", "check": "1"}

Ask = Callable[..., Any]
Sit = Callable[[str, int], None]


@pytest.fixture
def sit(monkeypatch: pytest.MonkeyPatch) -> Sit:
    """Puts somebody at the keys."""

    def put(name: str, uid: int) -> None:
        who = Identified(f"os:{uid}", name, f"os:{uid}:1", "os-account")
        monkeypatch.setattr(account, "system_account", lambda: who)

    return put


@pytest.fixture
def ask(typed: Any, bank: Path, monkeypatch: pytest.MonkeyPatch, sit: Sit) -> Ask:
    """Asks a task in a workspace of its own; ana asks."""
    monkeypatch.chdir(bank)
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("NO_COLOR", "FORCE_COLOR", "CONFORMED_DEBUG", "CONFORMED_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    sit("ana", 1001)

    def type_it(task: object, *more: str) -> Any:
        path = bank / "task.json"
        path.write_bytes(task if isinstance(task, bytes) else json.dumps(task).encode())
        return typed("answer", str(path), *more)

    return type_it


@pytest.fixture
def run_id(ask: Ask, bank: Path) -> str:
    """A run that answered; bob is an analyst and cem an officer."""
    found: str = json.loads(ask(SUM, "--json").out)["run"]
    people = bank / ".conformed" / "people.yaml"
    people.write_text(
        people.read_text(encoding="utf-8")
        + '- id: p-00000000000b\n  account: "os:1002"\n  name: bob\n  roles: [credit_analyst]\n'
        + '- id: p-00000000000c\n  account: "os:1003"\n  name: cem\n  roles: [credit_officer]\n',
        encoding="utf-8",
    )
    return found


def test_an_answer_on_the_screen(ask: Ask) -> None:
    """The answer, on what it rests, where it went, and that nobody has accepted it."""
    said = ask(SUM)
    assert (said.code, said.err) == (0, "")
    lines = said.out.splitlines()
    assert lines[0] == "ANSWERED  391   (found right by a deterministic check)"
    assert lines[3] == "Samples   8, of which 8 can be read and 8 gave this answer"
    assert any(line.startswith("People    Not accepted. A person must accept it") for line in lines)


def test_what_the_machine_cannot_show_ends_in_review(ask: Ask) -> None:
    """Exit code 12, and why."""
    said = ask(WORDS)
    assert said.code == 12
    assert said.out.startswith("REVIEW    a person answers")
    assert "Open      No answer was found right by its check." in said.out


def test_json_is_the_record_and_nothing_else(ask: Ask) -> None:
    """Both results as records, with the exit code of the result."""
    right, open_ = ask(SUM, "--json"), ask(WORDS, "--json")
    assert (right.code, json.loads(right.out)["answer"], json.loads(right.out)["basis"]) == (0, "391", "verified")
    assert (open_.code, json.loads(open_.out)["answer"]["code"]) == (12, "no_answer_verified")


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ({"id": "x"}, ": prompt: Field required."),
        ({"id": "", "prompt": "p"}, ": id: String should have at least 1 character."),
        ({**SUM, "check": 5}, ": check: Input should be a valid string."),
        ({**SUM, "reference": "391"}, ": reference: Extra inputs are not permitted."),
        ({**SUM, "facts": {"x": 1.5}}, ": facts: the fact 'x' holds a float; write plain JSON"),
        ({**SUM, "difficulty": 0.5}, ": difficulty: 0.5 is not an exact number."),
        ([], ": the whole: Input should be a valid dictionary"),
        (b"{", ": no JSON object: Expecting property name"),
        (b'{"id": "a", "id": "b", "prompt": "p"}', ": no JSON object: a key stands twice in one object."),
        (b'{"id": "a\\ud800", "prompt": "p"}', ": id: Input should be a valid string"),
        (b'{"id": "a", "prompt": "p", "difficulty": NaN}', ": difficulty: nan is not an exact number."),
        (b"\xff", ": no JSON object: 'utf-8' codec can't decode byte"),
        (b"[" * 100_000, ": nested too deeply."),
        (b" " * ((1 << 20) + 1), "is larger than 1048576 bytes."),
    ],
)
def test_a_broken_task_is_refused_in_one_sentence(ask: Ask, bank: Path, task: object, said: str) -> None:
    """What was found, in which file and field; exit code 2; and no log is begun."""
    found = ask(task)
    assert (found.code, found.out) == (2, "")
    assert said in found.err
    assert str(bank / "task.json") in found.err
    assert found.err.count("\n") == 1
    assert not (bank / ".conformed" / "log.sqlite").exists()


def test_a_task_that_is_not_there(ask: Ask, typed: Any, bank: Path) -> None:
    """Neither a missing file nor a folder is a task."""
    ask(SUM)
    assert "cannot be read: No such file" in typed("answer", "nowhere.json").err
    assert "cannot be read: Is a directory" in typed("answer", str(bank)).err


def test_a_task_with_control_characters_shows_none(ask: Ask) -> None:
    """Its id is shown without anything that a terminal would obey."""
    said = ask({**SUM, "id": "a\x1b[31m\x07"})
    assert said.code == 0
    assert "\x1b" not in said.out
    assert "\x07" not in said.out


def test_there_must_be_something_to_resume(ask: Ask) -> None:
    """A task that has ended, or was never asked, has no unfinished run."""
    assert ask(SUM).code == 0
    said = ask(SUM, "--resume")
    assert (said.code, "No unfinished run of the task sum" in said.err) == (2, True)


@pytest.mark.parametrize(
    "line",
    [
        ("run", "PACK", "--policy", "short-answers"),
        ("what-if", "PACK", "--policy", "short-answers", "--test-date", "2024-09-30"),
        ("portfolio", "FOLDER", "--policy", "short-answers"),
    ],
)
def test_a_pack_is_not_run_under_a_contract_of_short_answers(ask: Ask, typed: Any, fenwick: Path, line: tuple[str, ...]) -> None:
    """One sentence that says what the contract is for, exit code 2, and nothing on stdout."""
    folder = fenwick.parent / "packs"
    folder.mkdir()
    shutil.copytree(fenwick, folder / "fenwick")
    said = typed(*(str(fenwick) if word == "PACK" else str(folder) if word == "FOLDER" else word for word in line))
    assert (said.code, said.out) == (2, "")
    assert "The contract short-answers is for short answers and not for covenants." in said.err
    assert said.err.count("\n") == 1


def test_a_task_is_not_answered_under_a_covenants_contract(ask: Ask) -> None:
    """The other way round the same."""
    said = ask(SUM, "--policy", "covenant")
    assert said.code == 2
    assert "The contract covenant is for covenants and not for short answers." in said.err


def test_an_override_is_of_a_pack(run_id: str, typed: Any) -> None:
    """A run that answered a task has nothing that an override could answer."""
    said = typed("override", run_id, "--code", "override_review_confirmed", "--answers", "x", "--reason", "y")
    assert (said.code, said.out) == (2, "")
    assert f"Run {run_id} is no run of a pack." in said.err


def test_runs_are_listed_and_found(run_id: str, ask: Ask, typed: Any) -> None:
    """Under a heading that fits both applications; by the name of the task, the result, and a code of the record."""
    ask(WORDS)
    listed = typed("log", "list").out
    assert "Borrower or task" in listed
    assert "answered" in listed
    for line in (("--pack", "SUM"), ("--result", "answered"), ("--code", "equal_values")):
        found = json.loads(typed("log", "find", *line, "--json").out)
        assert [one["run"] for one in found["runs"]] == [run_id], line
    assert len(json.loads(typed("log", "find", "--code", "no_answer_verified", "--json").out)["runs"]) == 1


def test_a_run_is_replayed(run_id: str, typed: Any) -> None:
    """Every level holds, and the decision is the same."""
    said = typed("replay", run_id)
    assert said.code == 0
    assert "Same decision: yes." in said.out


def test_the_evidence_of_an_answer_holds_without_our_software(run_id: str, typed: Any, bank: Path) -> None:
    """Record, task, responses, trace, contract and proofs; both scripts find that it holds; a changed response is found."""
    assert typed("evidence", run_id, "-o", str(bank / "e.zip")).code == 0
    (bank / "keys.txt").write_text(typed("log", "keys").out, encoding="utf-8")
    verifiers = ([sys.executable, "-I", str(ROOT / "docs/verify/verify.py")], ["sh", str(ROOT / "docs/verify/verify.sh")])

    def holds(bundle: str) -> list[bool]:
        done = [
            subprocess.run([*one, bundle, "keys.txt"], cwd=bank, capture_output=True, text=True, check=False) for one in verifiers
        ]
        return [one.returncode == 0 and one.stdout.startswith("HOLDS: ") for one in done]

    assert holds("e.zip") == [True, True]
    with zipfile.ZipFile(bank / "e.zip") as bundle:
        files = {name: bundle.read(name) for name in bundle.namelist()}
    assert json.loads(files["record.json"])["run"] == run_id
    assert json.loads(files["task.json"])["task"]["prompt"] == SUM["prompt"]
    assert len(json.loads(files["responses.json"])["responses"]) == 8
    assert files["contract.yaml"] == (bank / "policies" / "short-answers.yaml").read_bytes()
    assert {name for name in files if name.startswith("trace/")} == {
        "trace/1-route.json", "trace/2-answers.json", "trace/3-checked.json", "trace/4-selection.json",
    }  # fmt: skip
    readme = files["README.txt"].decode()
    assert "conformed copy" not in readme
    assert "recompute.py" not in readme
    assert all(name in readme for name in files if not name.startswith(("log/", "manifest")))
    files["responses.json"] = files["responses.json"].replace(b"391", b"392")
    with zipfile.ZipFile(bank / "forged.zip", "w") as forged:
        for name, data in files.items():
            forged.writestr(name, data)
    assert holds("forged.zip") == [False, False]


def test_people_conclude_without_naming_the_contract(run_id: str, typed: Any, sit: Sit) -> None:
    """Who asked is refused; another accepts, by the rule of the run's own contract, and it is released; the log verifies."""
    assert "Not accepted." in typed("approvals", run_id).out
    assert "Nobody approves their own work" in typed("accept", run_id).err
    sit("bob", 1002)
    standing = json.loads(typed("accept", run_id, "--json").out)
    assert (standing["state"], [row["who"] for row in standing["approvals"]]) == ("released", ["bob"])
    assert typed("log", "verify").code == 0


def test_a_run_is_sent_back_and_an_approval_taken_back(ask: Ask, run_id: str, bank: Path, typed: Any, sit: Sit) -> None:
    """Both find the contract by themselves; with two people asked for, the first approval alone releases nothing."""
    contract = bank / "policies" / "short-answers.yaml"
    contract.write_text(contract.read_text(encoding="utf-8").replace("two_people: false", "two_people: true"), encoding="utf-8")
    two = json.loads(ask({**SUM, "id": "two"}, "--json").out)["run"]
    sit("bob", 1002)
    assert "A second person must confirm it" in typed("accept", two).out
    assert "Approvals" not in typed("withdraw", two).out
    said = typed("return", two, "--reason", "figure_wrong", "--note", "Ask it in other words.")
    assert (said.code, "RETURNED" in said.out) == (0, True)


def test_an_answered_result_can_ask_for_a_second_person(ask: Ask, run_id: str, bank: Path, typed: Any, sit: Sit) -> None:
    """`result_answered` is a condition of the contract; a review of the same contract needs one person."""
    contract = bank / "policies" / "short-answers.yaml"
    rule = "second_approval:\n  when: [result_answered]\n  roles: [credit_officer]\n"
    contract.write_text(contract.read_text(encoding="utf-8") + rule, encoding="utf-8")
    answered, open_ = (json.loads(ask(task, "--json").out)["run"] for task in ({**SUM, "id": "other"}, WORDS))
    sit("bob", 1002)
    assert json.loads(typed("accept", open_, "--json").out)["state"] == "released"
    assert json.loads(typed("accept", answered, "--json").out)["state"] == "open"
    sit("cem", 1003)
    assert json.loads(typed("accept", answered, "--json").out)["state"] == "released"


def test_a_contract_that_is_gone_is_said(run_id: str, bank: Path, typed: Any, sit: Sit) -> None:
    """No contract of the workspace has the run's bytes: one sentence; a copy elsewhere can be named, another one cannot."""
    contract = bank / "policies" / "short-answers.yaml"
    shutil.copy(contract, bank / "old.yaml")
    contract.write_text(contract.read_text(encoding="utf-8").replace("years: 7", "years: 8"), encoding="utf-8")
    sit("bob", 1002)
    said = typed("accept", run_id)
    assert (said.code, said.out) == (2, "")
    assert f"Run {run_id} was done under another contract than any of this workspace." in said.err
    assert "under another contract than covenant" in typed("accept", run_id, "--policy", "covenant").err
    assert json.loads(typed("accept", run_id, "--policy", str(bank / "old.yaml"), "--json").out)["state"] == "released"
