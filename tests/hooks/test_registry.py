"""The registry: looking up, making, checking, observing, the manifest."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from conformed.errors import PluginError
from conformed.hooks import WrittenRecord, load_registry
from conformed.hooks.digests import distribution_digest

Install = Callable[..., list[EntryPoint]]

RECORD = WrittenRecord(case="c", cseq=0, kind="case.opened", leaf="0" * 64, body=b"{}")


def test_nothing_can_be_added_or_changed_afterwards(install: Install) -> None:
    """The registry, its list and each registration are frozen."""
    registry = load_registry(env={}, entry_points=install("clash_one"))
    with pytest.raises(dataclasses.FrozenInstanceError):
        registry.registrations = ()  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        registry.registrations[0].version = "2.0.0"  # type: ignore[misc]
    with pytest.raises(TypeError):
        registry._index[("reader", "x")] = registry.registrations[0]  # type: ignore[index]
    assert isinstance(registry.registrations, tuple)


def test_an_unknown_name_lists_what_there_is_and_what_failed(install: Install) -> None:
    """A look-up that fails says which names there are and which plugin did not load."""
    install("import_exit")
    registry = load_registry(env={}, entry_points=install("clash_one"))
    with pytest.raises(PluginError, match=r"there is no reader 'memu'. Registered: memo. import_exit of trap-import-exit failed"):
        registry.get("reader", "memu")
    assert registry.get("reader", "memo").origin is not None


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("none", "returned nothing"),
        ("class", "returned the class Right"),
        ("refuses", r"could not be made: the model is not here\. Add it\."),
        ("raises", "could not be made: OSError: no model on this machine"),
        ("exits", "could not be made: SystemExit: 0"),
        ("renamed", "which has no draft"),
        ("asynchronous", "draft of the drafter asynchronous 1.0.0 .* is asynchronous"),
        ("greedy", "does not take the port's arguments: missing a required argument: 'model'"),
        ("flat", "cannot be called"),
        ("coroutine", "returned coroutine, which has no draft"),
    ],
)
def test_a_factory_that_gives_something_else_is_refused(install: Install, name: str, found: str) -> None:
    """What a factory makes fits the port of its kind, synchronously, or is refused by name."""
    registry = load_registry(env={}, entry_points=install("factories"))
    assert type(registry.create("drafter", "right", {})).__name__ == "Right"
    with pytest.raises(PluginError, match=found):
        registry.create("drafter", name, {})


def test_options_are_checked_by_the_plugins_own_model(install: Install) -> None:
    """An option that the plugin does not have is refused, and its options are listed."""
    registry = load_registry(env={}, entry_points=install("factories"))
    with pytest.raises(PluginError, match=r"refuses the option 'size'.* Its options: none"):
        registry.create("drafter", "right", {"size": 1})


CONTRACT = {"name": "covenant", "approval": {"two_people": True}}


@pytest.mark.parametrize(
    ("mode", "refusals"),
    [
        ("silent", ()),
        ("empty", ()),
        ("refuses", ("judge of trap-judge 1.0: scratch text is kept",)),
        ("raises", ("judge of trap-judge 1.0: its check failed: RuntimeError: no rule book",)),
        ("exits", ("judge of trap-judge 1.0: its check failed: SystemExit: 0",)),
        ("approves", ("judge of trap-judge 1.0: its check returned bool and not a list of sentences",)),
        ("mixed", ("judge of trap-judge 1.0: its check returned list and not a list of sentences",)),
        ("text", ("judge of trap-judge 1.0: its check returned str and not a list of sentences",)),
        ("coroutine", ("judge of trap-judge 1.0: its check returned coroutine and not a list of sentences",)),
        ("mutates", ()),
    ],
)
def test_check_policy_can_only_refuse(
    install: Install, monkeypatch: pytest.MonkeyPatch, mode: str, refusals: tuple[str, ...]
) -> None:
    """Failures and malformed answers refuse; a later plugin takes no refusal away; the contract stays as it was."""
    install("later_judge")
    registry = load_registry(env={}, entry_points=install("judge"))
    import judge  # type: ignore[import-not-found]

    monkeypatch.setattr(judge, "MODE", mode)
    before = json.dumps(CONTRACT)
    assert registry.check_policy(CONTRACT, "0" * 64) == refusals
    assert json.dumps(CONTRACT) == before


@pytest.mark.parametrize(
    ("mode", "trouble"),
    [
        ("counts", ""),
        ("raises", "record_written failed: RuntimeError"),
        ("exits", "record_written failed: SystemExit"),
        ("vetoes", "returned bool"),
    ],
)
def test_an_observer_cannot_veto(install: Install, monkeypatch: pytest.MonkeyPatch, mode: str, trouble: str) -> None:
    """Whatever record_written does, the caller goes on and is told; words of the exception stay out of the log."""
    registry = load_registry(env={}, entry_points=install("observer"))
    import observer  # type: ignore[import-not-found]

    monkeypatch.setattr(observer, "MODE", mode)
    troubles = registry.record_written(RECORD)
    assert [trouble in one for one in troubles] == ([True] if trouble else [])
    assert "secret words" not in "".join(troubles)
    if mode == "counts":
        assert observer.SEEN[-1] == "case.opened"


def test_the_manifest_is_json_and_follows_the_files(install: Install, tmp_path: Path) -> None:
    """The same installation gives the same bytes; one changed byte of a plugin gives another digest; RECORD cannot hide it."""
    entry_points = install("clash_one")
    first, again = load_registry(env={}, entry_points=entry_points), load_registry(env={}, entry_points=entry_points)
    assert json.dumps(first.manifest()) == json.dumps(again.manifest())
    assert first.manifest_digest() == again.manifest_digest()
    registrations = first.manifest()["registrations"]
    assert isinstance(registrations, list)
    assert registrations[0]["name"] == "memo"
    assert len(registrations[0]["digest"]) == 64
    module = tmp_path / "site" / "clash_one.py"
    module.write_text(module.read_text() + "# one more byte\n")
    assert load_registry(env={}, entry_points=entry_points).manifest_digest() != first.manifest_digest()


def test_an_editable_install_is_hashed_by_its_source(install: Install, tmp_path: Path) -> None:
    """Where files lie in a working tree, the source of the module counts, and compiled files do not."""
    entry_points = install("clash_one")
    (info,) = (tmp_path / "site").glob("*.dist-info")
    (info / "direct_url.json").write_text('{"url": "file:///somewhere", "dir_info": {"editable": true}}')
    digest = load_registry(env={}, entry_points=entry_points).manifest_digest()
    (info / "METADATA").write_text((info / "METADATA").read_text() + "\nmore words\n")
    assert load_registry(env={}, entry_points=entry_points).manifest_digest() == digest
    module = tmp_path / "site" / "clash_one.py"
    module.write_text(module.read_text() + "# one more byte\n")
    assert load_registry(env={}, entry_points=entry_points).manifest_digest() != digest


def test_a_package_is_hashed_file_by_file_without_what_python_leaves_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every file of the package counts, by name and bytes; compiled files do not; the order on disk does not."""
    package = tmp_path / "hashed_package"
    (package / "inner").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "inner" / "words.txt").write_text("a")
    monkeypatch.syspath_prepend(str(tmp_path))
    digest = distribution_digest(None, "hashed_package.inner")
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "x.cpython-311.pyc").write_bytes(b"compiled")
    (package / "inner" / "old.pyc").write_bytes(b"compiled")
    assert distribution_digest(None, "hashed_package.inner") == digest
    (package / "inner" / "words.txt").write_text("b")
    changed = distribution_digest(None, "hashed_package.inner")
    (package / "inner" / "words.txt").rename(package / "inner" / "other.txt")
    assert len({digest, changed, distribution_digest(None, "hashed_package.inner")}) == 3
