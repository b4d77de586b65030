"""What may lie in a model's folder, judged by name and by content. Weights that run code when they are read, and code, may not."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from enum import StrEnum

__all__ = ["HEAD", "MOST_JSON_BYTES", "Fault", "fault_of_head", "fault_of_json", "fault_of_name"]

HEAD = 16
"""Bytes of a file that tell its form."""
MOST_JSON_BYTES = 64 << 20
"""Largest JSON file; a tokenizer of 150,000 tokens has 11 MiB."""

_NAME = re.compile(r"\.gitattributes|[A-Za-z0-9_][A-Za-z0-9._-]{0,199}")
_PICKLES = (".bin", ".ckpt", ".dat", ".joblib", ".npy", ".npz", ".pickle", ".pkl", ".pt", ".pth")
_CODE = (".py", ".pyc", ".pyd", ".so", ".dll", ".dylib", ".ipynb", ".sh")
_WEIGHTS = (".safetensors", ".gguf")
_TEXTS = (".json", ".jinja", ".md", ".txt")
_BARE = ("LICENSE", "NOTICE", ".gitattributes")
_LONGEST_HEADER = 100_000_000
_REMOTE = (
    "attn_implementation",
    "auto_map",
    "custom_generate",
    "custom_pipelines",
    "experts_implementation",
    "transformers_weights",
)


class Fault(StrEnum):
    """Why a file is refused."""

    MISSING = "missing"
    EXTRA = "extra"
    ALTERED = "altered"
    SYMLINK = "symlink"
    NO_FILE = "no file"
    PICKLE = "pickle"
    CODE = "remote code"
    KIND = "unknown kind"
    CONTENT = "content"
    UNREADABLE = "unreadable"


def fault_of_name(name: str) -> tuple[Fault, str] | None:
    """Why a name may not lie in a model's folder, in a few words; None where it may."""
    lower = name.lower()
    if lower.endswith(_PICKLES):
        return Fault.PICKLE, "a pickle runs code when it is read; take the weights as safetensors"
    if lower.endswith(_CODE):
        return Fault.CODE, "code is never loaded from a model's folder"
    if lower.startswith("adapter_"):
        return Fault.KIND, "an adapter would load another model below itself; merge it first"
    if not _NAME.fullmatch(name) or not (name.endswith((*_WEIGHTS, *_TEXTS)) or name in _BARE):
        return Fault.KIND, "nothing that is loaded has such a name"
    return None


def fault_of_head(name: str, head: bytes, size: int) -> tuple[Fault, str] | None:
    """Why the content of a file is not what its name says.

    Args:
        name: its name.
        head: its first HEAD bytes.
        size: its size in bytes.
    """
    if head[:2] in (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05") or head[:4] == b"PK\x03\x04":
        return Fault.PICKLE, "its content is a pickle, or a zip as torch.save writes it"
    if name.endswith(".gguf"):
        return None if head[:4] == b"GGUF" else (Fault.CONTENT, "its content is no GGUF")
    if name.endswith(".safetensors"):
        length = int.from_bytes(head[:8], "little")
        sound = len(head) > 8 and head[8:9] == b"{" and 2 <= length <= min(_LONGEST_HEADER, size - 8)
        return None if sound else (Fault.CONTENT, "its content is no safetensors")
    return (Fault.CONTENT, "it is no text") if b"\0" in head else None


def fault_of_json(name: str, data: bytes, there: Collection[str]) -> tuple[Fault, str] | None:
    """Why a JSON file may not be read by the loader: it asks for code, or names weights elsewhere.

    Args:
        name: its name.
        data: its bytes.
        there: names of the folder's files.
    """
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return Fault.CONTENT, "it is no JSON"
    keys = sorted({key for key in _keys(value) if key.lstrip("_") in _REMOTE}) if name.endswith("config.json") else []
    if keys:
        return Fault.CODE, f"it has the key {keys[0]}, which names code to load"
    if name.endswith(".index.json"):
        shards = value.get("weight_map") if isinstance(value, dict) else None
        if not isinstance(shards, dict) or not all(isinstance(one, str) and one in there for one in shards.values()):
            return Fault.CONTENT, "it names weights that are not in the folder"
    return None


def _keys(value: object) -> Iterator[str]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            yield from one
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
