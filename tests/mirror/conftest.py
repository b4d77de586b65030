"""A model's folder in miniature: files of the right forms, no model in them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from conformed.mirror.manifest import MANIFEST, Manifest, RepositorySource
from conformed.mirror.verifying import examine, opened

WEIGHTS = (2).to_bytes(8, "little") + b"{}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one set of weights and what stands beside it."""
    made = tmp_path / "model"
    made.mkdir()
    (made / "model.safetensors").write_bytes(WEIGHTS)
    (made / "config.json").write_text(json.dumps({"architectures": ["SmallForCausalLM"], "dtype": "float32"}))
    (made / "tokenizer.json").write_text('{"model": {"vocab": {"auto_map": 0}}}')
    (made / "merges.txt").write_text("a b\n")
    (made / "chat_template.jinja").write_text("{{ messages }}")
    (made / "LICENSE").write_text("Apache License\n")
    return made


@pytest.fixture
def pinned(folder: Path) -> Callable[[], Manifest]:
    """Pins the folder as it is."""

    def pin() -> Manifest:
        with opened(folder) as descriptor:
            found = examine(descriptor, None)
        assert found.troubles == ()
        manifest = Manifest(
            model="small",
            source=RepositorySource(repository="maker/small", commit="c" * 40),
            licence="Apache-2.0",
            architecture="SmallForCausalLM",
            stored="float32",
            files=found.files,
        )
        (folder / MANIFEST).write_bytes(manifest.data())
        return manifest

    return pin
