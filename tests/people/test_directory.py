"""The directory of people: one pseudonym a person, roles by hand, and forgetting."""

from __future__ import annotations

import itertools
import threading
from pathlib import Path

import pytest

from conformed.app.people import account
from conformed.errors import PolicyError, UsageError
from conformed.people.directory import Directory
from conformed.people.person import Identified

ANA = Identified("os:1001", 'Ana "A" Ö', "os:1001:7", "os-account")


@pytest.fixture
def directory(tmp_path: Path) -> Directory:
    """An empty one."""
    numbers = itertools.count(1)
    return Directory(tmp_path / "people.yaml", lambda: f"p-{next(numbers):012x}")


def test_a_person_is_entered_once_without_roles(directory: Directory) -> None:
    """The same account is the same pseudonym for ever; a new person holds no role; names are written as they are."""
    first, again = directory.person(ANA), directory.person(ANA)
    assert first == again
    assert (first.id, first.roles, first.session) == ("p-000000000001", (), "os:1001:7")
    assert directory.shown(first.id) == 'Ana "A" Ö'
    assert directory.person(Identified("os:1002", "bob", "s", "m")).id != first.id


def test_roles_are_given_in_the_file(directory: Directory) -> None:
    """What the keeper writes counts at once, and changes the digest that the log notes."""
    directory.person(ANA)
    before, text = directory.digest(), directory.file.read_text(encoding="utf-8")
    directory.file.write_text(text + "  roles: [officer, analyst]\n", encoding="utf-8")
    assert directory.person(ANA).roles == ("analyst", "officer")
    assert directory.digest() != before


def test_somebody_named_has_a_pseudonym_too(directory: Directory) -> None:
    """A name is found whatever its spaces and capitals; one who has no account is entered by name."""
    ana = directory.person(Identified("os:1001", "ana", "s", "m")).id
    assert directory.named("  ANA ") == ana
    ida = directory.named("Ida  Marsh")
    assert directory.named("ida marsh") == ida != ana
    assert directory.forgotten([ana, ida, "p-00000000000f"]) == {"p-00000000000f"}


def test_a_forgotten_person_has_a_pseudonym_and_nothing_else(directory: Directory) -> None:
    """With account and name taken out, the pseudonym stays, is shown as such, and tells nobody apart."""
    ana = directory.person(ANA).id
    directory.file.write_text(f"people:\n- id: {ana}\n", encoding="utf-8")
    assert (directory.shown(ana), directory.forgotten([ana])) == (ana, frozenset({ana}))
    assert directory.person(ANA).id != ana


def test_many_at_once_enter_one(directory: Directory) -> None:
    """Eight threads that meet the same new person give them one pseudonym."""
    found: list[str] = []
    threads = [threading.Thread(target=lambda: found.append(directory.person(ANA).id)) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(found) == 8
    assert len(set(found)) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("people:\n- id: p-00000000000a\n- id: p-00000000000a\n", "a pseudonym twice"),
        ('people:\n- id: p-00000000000a\n  account: "os:1001"\n- id: p-00000000000b\n  account: "os:1001"\n', "for one person"),
        ("people:\n- id: ana\n", "people.yaml:2:7"),
        ("people:\n- id: p-00000000000a\n  admin: true\n", "admin"),
    ],
)
def test_a_file_that_is_no_directory_stops(directory: Directory, text: str, said: str) -> None:
    """Whatever is unclear about who is who stops with a sentence; nobody is guessed."""
    directory.file.write_text(text, encoding="utf-8")
    with pytest.raises((UsageError, PolicyError), match=said):
        directory.person(ANA)


def test_nobody_is_entered_where_nothing_may_be_written(tmp_path: Path) -> None:
    """A directory that cannot be written refuses a new person and says whom to ask."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match=r"cannot be entered.*Ask whoever keeps it"):
        Directory(tmp_path / "file" / "people.yaml", lambda: "p-000000000001").person(ANA)


def test_the_system_says_who_it_is_whatever_the_environment_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Variables that name a user are not asked; the login that became another user is behind it."""
    plain = account.system_account()
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME", "SUDO_USER", "SUDO_UID"):
        monkeypatch.setenv(name, "somebody")
    assert account.system_account() == plain
    assert plain.session.startswith(f"{plain.account}:")
    login = tmp_path / "loginuid"
    for written, behind in (("1001", ("os:1001",)), ("1002", ()), ("4294967295", ()), ("x", ())):
        login.write_text(written, encoding="ascii")
        assert account._behind(1002, login) == behind
    assert account._behind(1002, tmp_path / "none") == ()
    assert account._name(3_999_999_999) == "account 3999999999"
    with pytest.raises(UsageError, match="does not say who you are"):
        account._named(" ")
    assert account._named("DESK:Ana").account == "os:DESK_Ana"
