"""Loading: what stops the start, what is one plugin's failure, and what a limit does."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from conformed.errors import PluginError
from conformed.hooks import LOAD_PLUGINS, Registry, load_registry

Install = Callable[..., list[EntryPoint]]

FAILURES = {
    "wrapper": "is a wrapper",
    "old_wrapper": "is a wrapper",
    "coroutine": "coroutine or a generator",
    "hidden_coroutine": "returned coroutine",
    "generator": "coroutine or a generator",
    "import_error": "ModuleNotFoundError: No module named 'a_library_that_is_not_installed'",
    "import_exit": "SystemExit: no licence found",
    "no_hooks": "implements no hook",
    "returns_list": "returned list",
    "extra_argument": "engine",
    "half": "the other half is missing",
    "old_api": "version 99 of the hooks",
    "twice": "implemented twice",
}


@pytest.mark.parametrize(("trap", "reason"), sorted(FAILURES.items()))
def test_a_bad_plugin_is_named_with_its_reason_and_stops_nothing_else(install: Install, trap: str, reason: str) -> None:
    """Whatever is wrong with one plugin, it alone is missing, and the registry says why."""
    install(trap)
    registry = load_registry(env={}, entry_points=install("clash_one"))
    assert [one.name for one in registry.registrations] == ["memo"]
    (failure,) = registry.failures
    assert (failure.entry_point, failure.distribution, failure.version) == (trap, f"trap-{trap.replace('_', '-')}", "1.0")
    assert reason in failure.reason
    assert registry.checks == ()


def test_an_entry_point_that_names_a_class_is_refused(install: Install) -> None:
    """Functions of a class would be called without an instance."""
    registry = load_registry(env={}, entry_points=install("named_class", attribute="Plugin"))
    assert "names a class" in registry.failures[0].reason


def test_an_object_that_raises_when_looked_at_is_a_failure(install: Install) -> None:
    """Looking for hooks runs a stranger's code; what it raises is its plugin's failure."""
    registry = load_registry(env={}, entry_points=install("moody", attribute="PLUGIN"))
    assert "not today" in registry.failures[0].reason


def test_metadata_that_cannot_be_read_is_that_distributions_failure(install: Install, tmp_path: Path) -> None:
    """A garbled entry_points.txt of any distribution neither stops the start nor hides the others."""
    install("clash_one")
    info = tmp_path / "site" / "garbled-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: garbled\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[console_scripts]\nno equals sign here\n")
    registry = load_registry(env={LOAD_PLUGINS: "clash_one"})
    assert [one.name for one in registry.registrations] == ["memo"]
    assert [(one.distribution, one.version) for one in registry.failures] == [("garbled", "1.0")]


def test_a_distribution_without_a_name_still_loads(install: Install, tmp_path: Path) -> None:
    """Missing metadata does not break sorting or messages."""
    install("clash_one")
    (info,) = (tmp_path / "site").glob("*.dist-info")
    (info / "METADATA").write_text("")
    (distribution,) = importlib.metadata.distributions(path=[str(tmp_path / "site")])
    (registration,) = load_registry(env={}, entry_points=distribution.entry_points).registrations
    assert registration.origin is not None
    assert registration.origin.distribution == "(unnamed)"


def test_a_missing_attribute_is_a_failure(install: Install) -> None:
    """An entry point that points at nothing is its plugin's failure."""
    registry = load_registry(env={}, entry_points=install("clash_one", attribute="nothing"))
    assert registry.registrations == ()
    assert "AttributeError" in registry.failures[0].reason


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("kind", "is a 'drafter' in the hook register_readers"),
        ("name", "malformed name"),
        ("version", "has the version 'latest'"),
        ("summary", "no one-line summary"),
        ("options", "no pydantic model"),
        ("open_options", "admit unknown keys"),
        ("factory", "cannot be called"),
        ("thing", "register was given str"),
    ],
)
def test_a_malformed_registration_is_refused(install: Install, monkeypatch: pytest.MonkeyPatch, mode: str, reason: str) -> None:
    """Each field of a registration is checked when it is offered."""
    entry_points = install("malformed")
    import malformed  # type: ignore[import-not-found]

    monkeypatch.setattr(malformed, "MODE", mode)
    registry = load_registry(env={}, entry_points=entry_points)
    assert registry.registrations == ()
    assert reason in registry.failures[0].reason


def test_a_second_claim_of_a_name_stops_the_start_and_names_both(install: Install) -> None:
    """Neither the first nor the last wins."""
    install("clash_one")
    with pytest.raises(
        PluginError, match=r"'memo' is claimed by clash_one of trap-clash-one 1.0 and by clash_two of trap-clash-two 1.0"
    ):
        load_registry(env={}, entry_points=install("clash_two"))


def test_entry_point_names_are_compared_before_anything_is_imported(install: Install) -> None:
    """Two distributions with one entry-point name stop the start; no code of either has run."""
    install("clash_one", entry_point="pdf")
    with pytest.raises(PluginError, match=r"'pdf' of conformed.plugins is claimed by trap-clash-one and by trap-same-name"):
        load_registry(env={}, entry_points=install("same_name", entry_point="pdf"))
    assert "same_name" not in sys.modules
    assert "clash_one" not in sys.modules


@pytest.mark.parametrize(
    ("trap", "near"),
    [("misspelt", "Did you mean 'register_readers'?"), ("misspelt_optional", "Hooks: check_policy, record_written")],
)
def test_an_unknown_hook_stops_the_start(install: Install, trap: str, near: str) -> None:
    """A misspelt hook would otherwise register in silence and never run; marking it optional does not help."""
    with pytest.raises(PluginError, match="does not exist") as caught:
        load_registry(env={}, entry_points=install(trap))
    assert near in str(caught.value)


def _names(registry: Registry) -> list[str]:
    return [one.name for one in registry.registrations]


def test_the_environment_limits_loading(install: Install) -> None:
    """A list loads those named, an empty string none; what is left out is not even imported."""
    install("late_register")
    entry_points = install("clash_one")
    assert _names(load_registry(env={}, entry_points=entry_points)) == ["early", "memo"]
    for module in ("late_register", "clash_one"):
        sys.modules.pop(module)
    assert _names(load_registry(env={LOAD_PLUGINS: " clash_one , "}, entry_points=entry_points)) == ["memo"]
    assert "late_register" not in sys.modules
    assert load_registry(env={LOAD_PLUGINS: ""}, entry_points=entry_points).plugins == ()


def test_a_limit_gets_past_a_clash(install: Install) -> None:
    """A person can leave one of two clashing plugins out and go on working."""
    install("clash_one")
    assert _names(load_registry(env={LOAD_PLUGINS: "clash_two"}, entry_points=install("clash_two"))) == ["memo"]


def test_a_limit_that_names_nothing_installed_is_refused(install: Install) -> None:
    """A typing mistake in the limit does not load fewer plugins in silence."""
    with pytest.raises(PluginError, match=r"'clash_won', which is not installed. Did you mean 'clash_one'"):
        load_registry(env={LOAD_PLUGINS: "clash_won"}, entry_points=install("clash_one"))


def test_registering_after_the_freeze_is_refused(install: Install) -> None:
    """A kept register adds nothing later."""
    registry = load_registry(env={}, entry_points=install("late_register"))
    import late_register  # type: ignore[import-not-found]

    with pytest.raises(PluginError, match="after the registry was frozen"):
        late_register.strike()
    assert _names(registry) == ["early"]


def test_the_order_of_installation_changes_nothing(install: Install) -> None:
    """Registrations, plugins and manifest are the same for every order of entry points."""
    install("late_register")
    install("factories")
    entry_points: list[EntryPoint] = install("clash_one")
    forward = load_registry(env={}, entry_points=entry_points)
    backward = load_registry(env={}, entry_points=entry_points[::-1])
    assert forward.manifest() == backward.manifest()
    assert [(one.kind, one.name) for one in forward.registrations] == sorted(
        (one.kind, one.name) for one in forward.registrations
    )
    assert len(forward.plugins) == 3


def test_built_ins_come_through_the_same_door() -> None:
    """With nothing but the environment, every registration has an entry point and a distribution."""
    registry = load_registry(env={})
    assert all(one.origin is not None and one.origin.entry_point for one in registry.registrations)
