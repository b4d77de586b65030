"""A registry made by hand, and contracts with one place changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict

from conformed.hooks import NoOptions, Origin, Registration, Registry
from conformed.policy.load import Loaded, load_text
from conformed.policy.schema import TaskContract

GOOD = (Path(__file__).parent / "good.yaml").read_text()
ORIGIN = Origin("built_in", "conformed", "0.1.0", "somewhere")
PINNED = [
    ("reader", "text"),
    ("retriever", "index"),
    ("extractor", "clauses"),
    ("extractor", "certificate"),
    ("drafter", "templates"),
]


class IndexOptions(BaseModel):
    """Options with types."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    most: int = 10
    """A whole number."""
    exact: bool = False
    """A truth value."""
    words: tuple[str, ...] = ()
    """Words."""


class Everything:
    """Fits the retriever's port."""

    def __init__(self, options: object) -> None:
        self.options = options

    def retrieve(self, case: object) -> object:
        """Nothing is looked at."""
        return case


def registration(kind: str, name: str, *, version: str = "1.0.0", origin: Origin | None = ORIGIN) -> Registration:
    """One registration."""
    options = IndexOptions if name == "index" else NoOptions
    return Registration(kind, name, version, "A part.", Everything, options, origin)


@pytest.fixture
def registry() -> Registry:
    """What the good contract pins."""
    return Registry(registrations=tuple(registration(kind, name) for kind, name in PINNED))


Write = Callable[..., Loaded[TaskContract]]


@pytest.fixture
def write() -> Write:
    """The good contract with some text replaced, each piece exactly once."""

    def changed(*pairs: tuple[str, str]) -> Loaded[TaskContract]:
        text = GOOD
        for old, new in pairs:
            assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times"
            text = text.replace(old, new)
        return load_text(text, TaskContract, name="good.yaml")

    return changed


@pytest.fixture
def register() -> Callable[..., Registration]:
    """Makes a registration."""
    return registration


@pytest.fixture(scope="session")
def good_contract() -> TaskContract:
    """The good contract."""
    return load_text(GOOD, TaskContract, name="good.yaml").value
