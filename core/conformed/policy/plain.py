"""Reads a YAML file as plain data, where its nulls are meant: what is expected of a case, and not a contract."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from conformed.errors import PolicyError
from conformed.policy.strict import MAX_BYTES

__all__ = ["load_plain"]


def load_plain(path: Path) -> Any:
    """The data of a file, for a model that validates it.

    Raises:
        PolicyError: when it cannot be read, is too large, or is no YAML.
    """
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as problem:
        raise PolicyError(
            f"the file cannot be read: {problem.strerror}.", "Check its path and permissions.", file=str(path)
        ) from problem
    if len(data) > MAX_BYTES:
        raise PolicyError(f"the file is larger than {MAX_BYTES} bytes.", "Split it.", file=str(path))
    try:
        return YAML(typ="safe", pure=True).load(data)
    except (YAMLError, ValueError, RecursionError) as problem:
        mark = getattr(problem, "problem_mark", None)
        line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
        raise PolicyError("this is no YAML.", "Mend it.", file=str(path), line=line, column=column) from problem
