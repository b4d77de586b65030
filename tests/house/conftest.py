"""The tree of the project, for the guards of its architecture."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("core", "plugins", "audit")


@pytest.fixture(scope="session")
def root() -> Path:
    """Top of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def sources() -> tuple[Path, ...]:
    """Every module of the three packages, sorted."""
    found = tuple(sorted(file for source in SOURCES for file in (ROOT / source).rglob("*.py")))
    assert len(found) > 50
    return found


@pytest.fixture(scope="session")
def modules(sources: tuple[Path, ...]) -> tuple[str, ...]:
    """Their dotted names."""

    def name(file: Path) -> str:
        parts = file.relative_to(ROOT).with_suffix("").parts[1:]
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    return tuple(name(file) for file in sources)
