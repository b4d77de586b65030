"""The JSON Schema of contracts, for editors that check and complete YAML while it is typed."""

from __future__ import annotations

import json

from conformed.policy.schema import TaskContract

__all__ = ["json_schema"]


def json_schema() -> str:
    """The schema as JSON text, the same bytes each time.

    It is looser than the loader in one way: checks that look at several keys at once are the loader's alone.
    """
    schema = TaskContract.model_json_schema(mode="validation")
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
