"""Reads a case file: which of the three shapes it has, and every refusal with file, line and column."""

from __future__ import annotations

from pathlib import Path

from conformed.app.rule_cases.pack_shapes import PackFile
from conformed.app.rule_cases.shapes import CalculationFile, PatternFile
from conformed.errors import PolicyError, UsageError
from conformed.policy.load import load_bytes
from conformed.policy.nulls import mark_nulls
from conformed.policy.strict import MAX_BYTES, parse

__all__ = ["load_cases"]

_SHAPES: dict[str, type[PatternFile | PackFile | CalculationFile]] = {
    "covenant-calculations/1": CalculationFile,
    "covenant-packs/1": PackFile,
    "covenant-patterns/1": PatternFile,
}


def load_cases(path: Path) -> PatternFile | PackFile | CalculationFile:
    """The cases of a file.

    Args:
        path: the file.

    Raises:
        UsageError: when there is no such file.
        PolicyError: for every refusal of its content, with file, line, column and the mend.
    """
    name = str(path)
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError as problem:
        raise UsageError(f"There is no file {name}.", "Check the path.") from problem
    except OSError as problem:
        raise UsageError(f"{name} cannot be read: {problem.strerror}.", "Name a file of cases.") from problem
    marked = mark_nulls(data, name=name)
    root = parse(marked, name=name)
    fields = root.fields or {}
    schema = fields.get("schema")
    shape = _SHAPES.get(schema.scalar or "") if schema is not None else None
    if shape is None:
        place = schema or root
        found = (
            f"the schema {schema.scalar!r} is not known." if schema is not None else "the file does not say which cases it holds."
        )
        raise PolicyError(
            found, f"Begin it with `schema:` and one of: {', '.join(_SHAPES)}.", file=name, line=place.line, column=place.column
        )
    return load_bytes(marked, shape, name=name).value
