"""Publication of a workspace's log: after each run, pending and again, keys and their change, verification with what is outside."""

from __future__ import annotations

import datetime as dt
import json
import shutil
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformed.app.keeping.log_keeper import LogKeeper
from conformed.app.keeping.published import PublicationNote, SinkSaid, json_with, sentence_of
from conformed.app.keeping.state import State, find_state
from conformed.app.keeping.witness_service import witness_server
from conformed.app.options import RunOptions, silent
from conformed.app.pages.report import render_report
from conformed.app.pages.screen import screen
from conformed.app.workspace import Workspace
from conformed.errors import ConformedError, UsageError
from conformed.model.decision import Decision
from conformed_audit import verify
from conformed_audit.note import Note
from conformed_audit.origin import origin_of
from conformed_audit.store import Store

NOON = dt.datetime(2026, 3, 2, 12, tzinfo=dt.UTC)


@pytest.fixture(autouse=True)
def state_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """State of each test in its own folder."""
    monkeypatch.setenv("CONFORMED_STATE", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def keeper(bank: Path) -> LogKeeper:
    """Whoever keeps the log of a workspace."""
    return LogKeeper(Workspace(root=bank, policies=bank / "policies", origin="flag"), clock=lambda: NOON, environment={})


def state_of(bank: Path, folder: Path) -> State:
    """The state of the workspace's log."""
    origin = origin_of(bank / ".conformed" / "log.sqlite")
    assert origin is not None
    return find_state({"CONFORMED_STATE": str(folder)}, origin)


def run(keeper: LogKeeper, pack: Path) -> Decision:
    """A run of the timber company's pack."""
    return keeper.run(pack, RunOptions(), silent)


def said(keeper: LogKeeper) -> PublicationNote:
    """What became of the last publication."""
    assert keeper.published is not None
    return keeper.published


def test_a_run_is_published_to_a_folder_outside_the_workspace(
    keeper: LogKeeper, fenwick: Path, bank: Path, state_here: Path
) -> None:
    """The key is made at the first use, readable by its owner only; one checkpoint, one file; everything verifies with them."""
    decision = run(keeper, fenwick)
    state = state_of(bank, state_here)
    note = said(keeper)
    assert (note.state, [s.sink for s in note.sinks if s.ok]) == ("published", ["file"])
    assert stat.S_IMODE((state.folder / "signer.key").stat().st_mode) == 0o600
    assert [path.name for path in state.checkpoints.iterdir()] == [f"{note.checkpoint_size}.note"]
    assert not state.folder.is_relative_to(bank)
    check = keeper.log_verify(None)
    assert check.ok
    assert "continues the checkpoint" in check.sentence
    assert "Signatures hold" in check.sentence
    assert "published" not in decision.model_dump_json()  # nothing of it stands in the recorded bytes


def test_a_publication_costs_one_record_and_one_file(keeper: LogKeeper, fenwick: Path, bank: Path, state_here: Path) -> None:
    """From the second run on: one record of heads, one checkpoint, one acknowledgement, one file."""
    run(keeper, fenwick)
    first = said(keeper).checkpoint_size
    run(keeper, fenwick)
    with keeper._log() as log:
        new = [record.kind for record in log.records() if record.idx >= first]
        store = log.store
        assert isinstance(store, Store)
        assert len(list(store.checkpoints.every())) == 2
    assert (new.count("log.heads"), new.count("key.added")) == (1, 0)
    assert len(list(state_of(bank, state_here).checkpoints.iterdir())) == 2


def test_pending_keeps_the_decision_and_the_next_command_publishes(keeper: LogKeeper, fenwick: Path, bank: Path) -> None:
    """A sink that cannot be reached makes it pending, plainly, on screen, in JSON and in the report; log publish mends it."""
    (bank / "publication.yaml").write_text(
        f"sinks:\n- sink: file\n  options:\n    name: vault\n    folder: {bank.parent}/vault/x\n", encoding="utf-8"
    )
    (bank.parent / "vault").touch()  # a file where the folder should be
    decision = run(keeper, fenwick)
    note = said(keeper)
    assert (note.state, note.sinks[0].sink, note.sinks[0].ok) == ("pending", "vault", False)
    for shown in (screen(decision, note, width=400), render_report(decision, None, note)):
        assert "PENDING: nobody outside holds the log yet" in shown
        assert "conformed log publish" in shown
    beside = json.loads(json_with(decision, note))
    assert beside.pop("publication")["state"] == "pending"
    assert beside == json.loads(decision.model_dump_json())
    (bank.parent / "vault").unlink()
    assert keeper.publish() == PublicationNote(
        state="published",
        checkpoint_size=note.checkpoint_size,
        sinks=(SinkSaid(sink="vault", ok=True, outside=True, said=f"{note.checkpoint_size}.note"),),
    )
    assert keeper.publish().checkpoint_size == note.checkpoint_size  # nothing new: nothing is written


def test_a_sink_inside_the_workspace_is_not_outside(keeper: LogKeeper, fenwick: Path, bank: Path) -> None:
    """A folder beside the log counts for nothing, and is refused where it is said to be outside; so are two of one name."""
    plan = bank / "publication.yaml"
    plan.write_text(f"sinks:\n- sink: file\n  options:\n    folder: {bank}/kept\n", encoding="utf-8")
    run(keeper, fenwick)
    assert (said(keeper).state, "lies in the workspace" in said(keeper).reason) == ("pending", True)
    plan.write_text(f"sinks:\n- sink: file\n  options:\n    folder: {bank}/kept\n    outside: false\n", encoding="utf-8")
    assert keeper.publish().state == "pending"
    twice = "- sink: file\n  options:\n    folder: {0}\n"
    plan.write_text("sinks:\n" + twice.format(bank.parent / "a") + twice.format(bank.parent / "b"), encoding="utf-8")
    assert "Two sinks" in keeper.publish().reason
    plan.write_text("sinks:\n- sunk: file\n", encoding="utf-8")
    run(keeper, fenwick)
    assert "publication.yaml" in said(keeper).reason


def test_an_old_backup_is_noticed_and_never_signed(keeper: LogKeeper, fenwick: Path, bank: Path) -> None:
    """Restored from a copy the log verifies alone; with what is kept outside it does not, and nothing more is signed."""
    run(keeper, fenwick)
    log = bank / ".conformed" / "log.sqlite"
    shutil.copy(log, bank.parent / "backup")
    run(keeper, fenwick)
    log.unlink()
    shutil.copy(bank.parent / "backup", log)
    assert verify(log).ok
    check = keeper.log_verify(None)
    assert not check.ok
    assert "truncated" in check.sentence
    run(keeper, fenwick)
    assert said(keeper).state == "pending"
    assert "signed before" in said(keeper).reason or "does not begin with" in said(keeper).reason


@pytest.mark.parametrize("lost", ["signer.key", "signer.memory"])
def test_a_lost_key_or_memory_is_never_made_anew(
    keeper: LogKeeper, fenwick: Path, bank: Path, state_here: Path, lost: str
) -> None:
    """A log that was signed before is not signed by a fresh key or without memory: it is pending and says what to restore."""
    run(keeper, fenwick)
    (state_of(bank, state_here).folder / lost).unlink()
    run(keeper, fenwick)
    assert said(keeper).state == "pending"
    assert "never sign without" in said(keeper).reason
    assert keeper.log_verify(None).ok


def test_keys_are_changed_under_the_old_one(keeper: LogKeeper, fenwick: Path, bank: Path, state_here: Path) -> None:
    """Added: recorded and published by the old key alone, then both sign; finished: the new one alone. Verification follows."""
    run(keeper, fenwick)
    state = state_of(bank, state_here)
    (old,) = keeper.public_keys()
    with pytest.raises(UsageError, match="No change of keys is under way"):
        keeper.change_key(finish=True)
    new = keeper.change_key(finish=False)
    with pytest.raises(UsageError, match="not finished"):
        keeper.change_key(finish=False)
    assert [(row.key, row.use) for row in keeper.public_keys()] == [(old.key, "signs"), (new.key, "signs")]
    run(keeper, fenwick)
    assert keeper.change_key(finish=True).key == old.key
    assert [(row.key, row.use) for row in keeper.public_keys()] == [(old.key, "retired"), (new.key, "signs")]
    run(keeper, fenwick)
    notes = sorted((Note.parse(text) for text in state.notes()), key=lambda note: int(note.text.split("\n")[1]))
    hashes = [[signature.hash for signature in note.signatures] for note in notes]
    first, second = hashes[0][0], hashes[-1][0]
    assert hashes == [[first], [first], [first, second], [first, second], [second], [second]]
    assert keeper.log_verify(None).ok
    keys = bank.parent / "auditor.keys"
    keys.write_text(f"{old.key}\n", encoding="utf-8")
    stale = keeper.verify(keys=keys, quorum=0, outside=[])
    assert (stale.ok, "signature" in stale.sentence) == (False, True)


def test_a_change_of_keys_that_broke_off_goes_on(keeper: LogKeeper, fenwick: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed after the key was written and before it was recorded: runs go on under the old key, and doing it again finishes it."""
    from conformed.app.keeping import publication

    run(keeper, fenwick)
    with monkeypatch.context() as broken:
        broken.setattr(publication, "record_key", lambda *_: (_ for _ in ()).throw(OSError("power")))
        with pytest.raises(ConformedError):
            keeper.change_key(finish=False)
    run(keeper, fenwick)
    assert said(keeper).state == "published"
    assert [row.use for row in keeper.public_keys()] == ["signs", "added"]
    keeper.change_key(finish=False)
    assert [row.use for row in keeper.public_keys()] == ["signs", "signs"]
    assert keeper.log_verify(None).ok


@pytest.fixture
def witnessed(keeper: LogKeeper, fenwick: Path, bank: Path, tmp_path: Path) -> Iterator[str]:
    """A workspace whose only sink is a witness; gives the witness's key."""
    run(keeper, fenwick)
    log_keys = [row.key for row in keeper.public_keys()]
    server, key = witness_server(
        tmp_path / "witness", ("127.0.0.1", 0), log_keys, "witness.example/w1", lambda: int(NOON.timestamp())
    )
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    options = f"    url: http://127.0.0.1:{server.server_port}\n    key: {key}\n"
    (bank / "publication.yaml").write_text(f"sinks:\n- sink: witness\n  options:\n{options}", encoding="utf-8")
    yield str(key)
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_witness_cosigns_and_its_own_file_verifies_the_log(
    keeper: LogKeeper, fenwick: Path, bank: Path, tmp_path: Path, witnessed: str
) -> None:
    """A run is published when the witness cosigned; an auditor verifies with printed keys and with what the witness holds."""
    run(keeper, fenwick)
    assert (said(keeper).state, said(keeper).sinks[0].sink) == ("published", "witness")
    rows = keeper.public_keys()
    assert [row.use for row in rows] == ["signs", "witness"]
    keys = tmp_path / "auditor.keys"
    keys.write_text("".join(f"# {row.use}\n{row.key}\n" for row in rows), encoding="utf-8")
    check = keeper.verify(keys=keys, quorum=1, outside=[tmp_path / "witness"])
    assert check.ok
    assert f"Cosignatures cover {said(keeper).checkpoint_size} records" in check.sentence
    with pytest.raises(UsageError, match="2 cosignatures are asked for"):
        keeper.verify(keys=keys, quorum=2, outside=[])
    with pytest.raises(UsageError, match="holds no checkpoint"):
        keeper.verify(keys=keys, quorum=1, outside=[bank / "policies"])


def test_a_cosignature_by_another_witness_is_none(keeper: LogKeeper, fenwick: Path, bank: Path, witnessed: str) -> None:
    """Whoever answers at the witness's address with another key publishes nothing."""
    plan = bank / "publication.yaml"
    other = "witness.example/w1+" + witnessed.split("+", 1)[1]
    stranger = witness_server(bank.parent / "stranger", ("127.0.0.1", 0), [], "witness.example/w1")[0]
    stranger.server_close()
    key = (bank.parent / "stranger" / "witness.key").read_text().split()[1]
    from conformed_audit.note import COSIGNATURE, SigningKey

    wrong = SigningKey.make("witness.example/w1", bytes.fromhex(key), COSIGNATURE).key
    plan.write_text(plan.read_text(encoding="utf-8").replace(other, str(wrong)), encoding="utf-8")
    run(keeper, fenwick)
    assert said(keeper).state == "pending"
    assert "no witness that is known" in said(keeper).sinks[0].said


def test_two_workspaces_have_two_signers(keeper: LogKeeper, fenwick: Path, bank: Path, state_here: Path) -> None:
    """Logs that are not named have origins of their own; a named one has its name, for ever."""
    run(keeper, fenwick)
    other = bank.parent / "other"
    shutil.copytree(bank / "policies", other / "policies")
    (other / "publication.yaml").write_text("origin: bank.example/covenants\n", encoding="utf-8")
    second = LogKeeper(Workspace(root=other, policies=other / "policies", origin="flag"), clock=lambda: NOON, environment={})
    run(second, fenwick)
    assert origin_of(other / ".conformed" / "log.sqlite") == "bank.example/covenants"
    (other / "publication.yaml").write_text("origin: bank.example/renamed\n", encoding="utf-8")
    run(second, fenwick)
    assert said(second).state == "published"
    assert len(list(state_here.iterdir())) == 2


def test_the_sentence_says_what_to_do() -> None:
    """Published names who holds it; pending says why and how to mend it."""
    sink = SinkSaid(sink="vault", ok=True, outside=True, said="7.note")
    held = PublicationNote(state="published", checkpoint_size=7, sinks=(sink,))
    assert sentence_of(held) == "published · checkpoint of 7 records, held by vault"
    assert sentence_of(PublicationNote(state="pending", checkpoint_size=0)).endswith("Publish it: conformed log publish.")
