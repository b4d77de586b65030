"""Options of the code verifier: how much a candidate program may use. They are hard limits, not wishes."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["CodeOptions"]

MEBIBYTE = 1024 * 1024


class CodeOptions(BaseModel):
    """Limits of one test, which is one sandbox, and of a check as a whole."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    bubblewrap: Annotated[str, Field(min_length=1)] = "bwrap"
    """The sandbox program: a name on the path, or a path."""
    cpu_s: Annotated[int, Field(ge=1, le=60, strict=True)] = 4
    """Processor time of one test in seconds, all threads together."""
    wall_s: Annotated[int, Field(ge=1, le=120, strict=True)] = 20
    """Time of one test by the clock in seconds, starting the sandbox included. Generous: on a busy machine a right program waits."""
    total_s: Annotated[int, Field(ge=1, le=3600, strict=True)] = 120
    """Time of a check by the clock in seconds, all of its tests together; what is not run by then makes it a review."""
    memory_mib: Annotated[int, Field(ge=64, le=8192, strict=True)] = 512
    """Address space of the program in MiB."""
    scratch_mib: Annotated[int, Field(ge=1, le=1024, strict=True)] = 16
    """Size of the one folder that can be written, and of the largest file in it, in MiB."""
    processes: Annotated[int, Field(ge=1, le=256, strict=True)] = 32
    """Threads at one time. A second process is never allowed."""
    open_files: Annotated[int, Field(ge=16, le=1024, strict=True)] = 64
    """Open files at one time."""
    output_kib: Annotated[int, Field(ge=1, le=16384, strict=True)] = 1024
    """What a test may print or return, in KiB; more ends it."""
    program_kib: Annotated[int, Field(ge=1, le=4096, strict=True)] = 256
    """Largest program that is looked at, in KiB."""
    tests: Annotated[int, Field(ge=1, le=10_000, strict=True)] = 500
    """Most tests of a check, public and hidden together."""

    def rlimits(self) -> dict[str, int]:
        """Limits that the kernel keeps for the program, by their names in the standard module ``resource``."""
        return {
            "RLIMIT_AS": self.memory_mib * MEBIBYTE,
            "RLIMIT_CORE": 0,
            "RLIMIT_FSIZE": self.scratch_mib * MEBIBYTE,
            "RLIMIT_MEMLOCK": 0,
            "RLIMIT_MSGQUEUE": 0,
            "RLIMIT_NOFILE": self.open_files,
            "RLIMIT_NPROC": self.processes,
        }
