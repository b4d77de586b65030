"""What a run ran on: processor, memory, threads, versions. No name of a machine, a person or a folder is among it."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version

__all__ = ["LIBRARIES", "environment"]

LIBRARIES = ("accelerate", "conformed", "numpy", "safetensors", "tokenizers", "torch", "transformers", "trl")
"""Libraries whose versions decide what a run computes."""


def environment() -> Mapping[str, Mapping[str, str]]:
    """Hardware and versions, as text by name.

    Torch is asked for its threads and devices only where the process has loaded it: a run that trains has.
    """
    return {"hardware": _hardware(), "versions": _versions()}


def _hardware() -> dict[str, str]:
    found = {
        "cores": str(os.cpu_count() or "unknown"),
        "machine": platform.machine() or "unknown",
        "processor": _processor(),
        "system": platform.system() or "unknown",
    }
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        found["memory_bytes"] = str(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    torch = sys.modules.get("torch")
    if torch is not None:
        found["torch_threads"] = str(torch.get_num_threads())
        there = torch.cuda.is_available()
        found["accelerators"] = (
            ", ".join(torch.cuda.get_device_name(at) for at in range(torch.cuda.device_count())) if there else "none"
        )
    return found


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as stream:  # noqa: PTH123 - a file of the kernel
            for line in stream:
                name, _, value = line.partition(":")
                if name.strip() == "model name":
                    return value.strip()
    except OSError:
        pass  # not Linux: the library's word is taken
    return platform.processor() or "unknown"


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
