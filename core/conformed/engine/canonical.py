"""The bytes of a step's output: one model, one string of bytes, on every machine and in every process."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from pydantic import BaseModel
from pydantic.errors import PydanticInvalidForJsonSchema

__all__ = ["canonical_bytes", "canonical_json", "digest_of", "float_field"]


def canonical_bytes(model: BaseModel) -> bytes:
    """The model as UTF-8 JSON with sorted keys and no white space.

    Raises:
        ValueError: for NaN, infinity, a lone surrogate (which UTF-8 cannot carry), or a field of another type than declared.
    """
    # A field of another type than its declaration is an error here, not a warning that shows its value.
    return canonical_json(model.model_dump(mode="json", warnings="error"))


def canonical_json(plain: object) -> bytes:
    """Plain data as UTF-8 JSON with sorted keys and no white space.

    Raises:
        ValueError: for NaN, infinity or a lone surrogate.
        TypeError: for anything that is not plain data.
    """
    return json.dumps(plain, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")


def digest_of(data: bytes) -> str:
    """``sha256:`` and 64 hex digits."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def float_field(kind: type[BaseModel]) -> str:
    """Name of a field that may hold a binary float, or an empty string.

    Looked for in the model's JSON Schema, so that nothing has to be searched at run time.
    """
    try:
        schema = kind.model_json_schema(mode="serialization")
    except PydanticInvalidForJsonSchema:
        return "(not expressible in JSON)"
    return _number(schema, kind.__name__)


def _number(node: Any, path: str) -> str:
    if isinstance(node, dict):
        if node.get("type") == "number":
            return path
        for key, value in sorted(node.items()):
            found = _number(value, f"{path}.{key}" if key not in {"properties", "$defs", "items", "anyOf"} else path)
            if found:
                return found
    elif isinstance(node, list):
        for value in node:
            found = _number(value, path)
            if found:
                return found
    return ""
