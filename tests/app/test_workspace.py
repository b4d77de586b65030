"""Where a workspace is found, and how one is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformed.app import workspace
from conformed.app.workspace import VARIABLE, find_workspace, init_workspace, packaged_policies
from conformed.errors import UsageError


def make(root: Path) -> Path:
    """A folder with one policy."""
    (root / "policies").mkdir(parents=True)
    (root / "policies" / "covenant.yaml").write_text("name: covenant\n", encoding="utf-8")
    return root


def test_flag_before_variable_before_folder_before_packaged(tmp_path: Path) -> None:
    """The four places are looked at in this order, and each says how it was found."""
    flag, variable, folder = make(tmp_path / "a"), make(tmp_path / "b"), make(tmp_path / "c")
    deep = folder / "deals" / "q3"
    deep.mkdir(parents=True)
    environment = {VARIABLE: str(variable)}
    assert (find_workspace(flag, environment, deep).root, find_workspace(flag, environment, deep).origin) == (flag, "flag")
    assert find_workspace(None, environment, deep).root == variable
    assert find_workspace(None, {VARIABLE: ""}, deep).root == folder
    outside = tmp_path / "outside"
    outside.mkdir()
    found = find_workspace(None, {}, outside)
    assert (found.origin, found.root, found.policies) == ("packaged", outside, packaged_policies())


def test_the_nearest_folder_wins_and_an_empty_one_is_passed(tmp_path: Path) -> None:
    """Upward from where one stands, the first folder with a YAML file in policies/ is the workspace."""
    outer = make(tmp_path / "outer")
    inner = make(outer / "inner")
    hollow = inner / "hollow"
    (hollow / "policies").mkdir(parents=True)
    assert find_workspace(None, {}, hollow).root == inner


@pytest.mark.parametrize("named", ["absent", "hollow"])
def test_what_is_named_and_wrong_is_refused(tmp_path: Path, named: str) -> None:
    """A flag or a variable that names no workspace is refused with the mend, never passed over for another."""
    (tmp_path / "hollow").mkdir()
    make(tmp_path)
    for call in (
        lambda: find_workspace(tmp_path / named, {}, tmp_path),
        lambda: find_workspace(None, {VARIABLE: str(tmp_path / named)}, tmp_path),
    ):
        with pytest.raises(UsageError, match="conformed init"):
            call()


def test_traces_lie_beside_the_policies(tmp_path: Path) -> None:
    """The log and the cache have the places that the documentation names."""
    found = find_workspace(make(tmp_path), {}, tmp_path)
    assert found.log == tmp_path / ".conformed" / "log.sqlite"
    assert found.cache == tmp_path / ".conformed" / "cache"


def test_init_makes_a_workspace_that_is_found(tmp_path: Path) -> None:
    """A made workspace has the packaged policies to the byte and is found from inside."""
    made = init_workspace(tmp_path / "bank")
    assert find_workspace(None, {}, tmp_path / "bank" / "casefiles").root == made.root
    names = [file.name for file in sorted(packaged_policies().glob("*.yaml"))]
    assert names
    for name in names:
        assert (made.policies / name).read_bytes() == (packaged_policies() / name).read_bytes()
    assert ".conformed/" in (made.root / ".gitignore").read_text(encoding="utf-8")


def test_init_overwrites_nothing(tmp_path: Path) -> None:
    """A folder that has policies is left as it is."""
    make(tmp_path)
    with pytest.raises(UsageError, match="nothing was changed"):
        init_workspace(tmp_path)
    assert (tmp_path / "policies" / "covenant.yaml").read_text(encoding="utf-8") == "name: covenant\n"
    assert not (tmp_path / "casefiles").exists()


def test_init_where_nothing_can_be_made(tmp_path: Path) -> None:
    """A file in the way ends in a sentence with the mend and not in an operating system's error."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match="Choose a folder"):
        init_workspace(tmp_path / "file" / "bank")


def test_a_damaged_installation_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without the packaged policies nothing is guessed."""
    monkeypatch.setattr(workspace, "__file__", str(tmp_path / "a" / "b" / "c" / "d" / "workspace.py"))
    with pytest.raises(UsageError, match="Install it again"):
        packaged_policies()
