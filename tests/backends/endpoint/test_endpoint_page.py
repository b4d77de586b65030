"""The page about backends says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import BaseModel
from ruamel.yaml import YAML

from conformed.hooks import load_registry
from conformed_plugins.backends.endpoint.options import EndpointOptions
from conformed_plugins.backends.recorded import RecordedOptions
from conformed_plugins.drafters.model.options import DraftOptions
from conformed_plugins.extractors.model.options import ModelOptions

PAGE = (Path(__file__).parents[3] / "docs" / "backends.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("part", "options"),
    [
        ("The extractor `model`", ModelOptions),
        ("The drafter `model`", DraftOptions),
        ("The endpoint", EndpointOptions),
        ("The recording", RecordedOptions),
    ],
)
def test_every_option_is_told_and_none_that_is_not(part: str, options: type[BaseModel]) -> None:
    """The table of options has each option once, and its default where it says one."""
    table = PAGE.split(f"## {part}\n")[1].split("\n## ")[0].split("| option | | default |\n")[1].split("\n\n")[0]
    rows = re.findall(r"^\| (`[^|]*) \|[^|]*\|([^|]*)\|$", table, re.MULTILINE)
    told = {name: default for names, default in rows for name in re.findall(r"`([a-z0-9_]+)`", names)}
    assert set(told) == set(options.model_fields)
    for names, default in rows:
        single = re.findall(r"`([a-z0-9_]+)`", names)
        for name, shown in zip(single, default.strip().split(", "), strict=False):
            if shown and "MiB" not in shown:
                assert str(options.model_fields[name].default).lower() == shown


def test_the_contract_on_the_page_names_what_there_is() -> None:
    """Plugins and options of the example can be made as they stand there."""
    example = YAML(typ="safe", pure=True).load(PAGE.split("```yaml\n")[1].split("```")[0])
    registry = load_registry(env={})
    kinds = {"extract": "extractor", "draft": "drafter"}
    for step in example["steps"]:
        for one in step["uses"]:
            assert registry.get(kinds[step["name"]], one["plugin"]).version == one["version"]
        backend = registry.get("backend", step["backend"]["plugin"])
        backend.options.model_validate(step["backend"]["options"])
