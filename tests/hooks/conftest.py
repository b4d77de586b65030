"""Small installed plugins: a module, and beside it the metadata that an installer would write."""

from __future__ import annotations

import importlib
import importlib.metadata
import shutil
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

TRAPS = Path(__file__).parent / "traps"

Install = Callable[..., list[EntryPoint]]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs a trap as a distribution of its own and gives the entry points installed so far."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))
    modules: list[str] = []

    def place(
        module: str, *, distribution: str = "", entry_point: str = "", attribute: str = "", version: str = "1.0"
    ) -> list[EntryPoint]:
        name = distribution or f"trap-{module.replace('_', '-')}"
        shutil.copy(TRAPS / f"{module}.py", site / f"{module}.py")
        info = site / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        target = f"{module}:{attribute}" if attribute else module
        (info / "entry_points.txt").write_text(f"[conformed.plugins]\n{entry_point or module} = {target}\n")
        (info / "RECORD").write_text(f"{module}.py,,\n{info.name}/METADATA,,\n{info.name}/RECORD,,\n")
        modules.append(module)
        importlib.invalidate_caches()
        found = importlib.metadata.distributions(path=[str(site)])
        return [one for each in found for one in each.entry_points if one.group == "conformed.plugins"]

    yield place
    for module in modules:
        sys.modules.pop(module, None)
