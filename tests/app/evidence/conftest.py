"""A house with a run in its log, and a bundle of the run, made once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from evidence_house import House, write_pack

from conformed.app.bundles.evidence_export import Exported


@pytest.fixture(scope="session")
def ended(tmp_path_factory: pytest.TempPathFactory) -> tuple[House, str]:
    """A house with one run in its log, and one of another case; and the run."""
    folder = tmp_path_factory.mktemp("evidence")
    house = House(folder / "bank")
    house.other = house.run(write_pack(folder / "larch", "310,000"))
    house.ended = house.run(write_pack(folder / "fenwick", "300,000"))
    return house, house.ended


@pytest.fixture(scope="session")
def exported(ended: tuple[House, str]) -> Exported:
    """A bundle of that run, with documents."""
    house, run = ended
    return house.export(run)


@pytest.fixture
def house(tmp_path: Path) -> House:
    """A house of one test's own, with an empty log."""
    return House(tmp_path / "house")
