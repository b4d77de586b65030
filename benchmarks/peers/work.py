"""The step that ours and each peer carries out: the same models, the same wrappers, the same line in the operational log.

Imports nothing but pydantic and structlog, so that it runs in the product's environment and in the peers'.
"""

from __future__ import annotations

import functools
import os
import sys
import time
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

__all__ = ["STEPS", "Figure", "calculate", "first", "governed", "logger", "report"]

STEPS = 12
"""Steps of a run: an open case of the design's measurements."""
WRAPPERS = 5


class Part(BaseModel):
    """One amount of a calculation."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: str
    amount: Decimal
    currency: str
    clause: str


class Figure(BaseModel):
    """A calculation of about 900 bytes of JSON, what a step takes and gives."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    borrower: str
    covenant: str
    number: int
    debt: Decimal
    ebitda: Decimal
    ratio: Decimal
    passes: bool
    parts: tuple[Part, ...]


def first() -> Figure:
    """The figure with which a run begins."""
    parts = [
        Part(name=f"Item {n} of the certificate", amount=Decimal(n * 1_000), currency="EUR", clause=f"21.2({n})")
        for n in range(8)
    ]
    debt, ebitda = Decimal("325.50"), Decimal(100)
    return Figure(
        borrower="Bench Holdings",
        covenant="Leverage",
        number=0,
        debt=debt,
        ebitda=ebitda,
        ratio=debt / ebitda,
        passes=True,
        parts=tuple(parts),
    )


def calculate(given: Figure) -> Figure:
    """The next figure, validated when it is made."""
    debt = given.debt + 1
    return Figure(
        borrower=given.borrower,
        covenant=given.covenant,
        number=given.number + 1,
        debt=debt,
        ebitda=given.ebitda,
        ratio=debt / given.ebitda,
        passes=debt <= 4 * given.ebitda,
        parts=given.parts,
    )


def governed(work: Callable[..., Any]) -> Callable[..., Any]:
    """The work inside five wrappers, which do nothing but stand there."""
    for _ in range(WRAPPERS):
        work = _wrapper(work)
    return work


def _wrapper(inner: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(inner)
    def outer(*given: Any, **named: Any) -> Any:
        return inner(*given, **named)

    return outer


def logger() -> Any:
    """A structlog logger of JSON lines that go nowhere."""
    import structlog

    return structlog.wrap_logger(
        structlog.PrintLogger(Path(os.devnull).open("w", encoding="utf-8")),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(sort_keys=True),
        ],
        cache_logger_on_first_use=True,
    )


def report(run: Callable[[int], object], runs: int) -> None:
    """Carries out so many runs after three to warm up, and prints microseconds of processor time (all threads) a step."""
    for number in range(3):
        run(-1 - number)
    began = time.process_time()
    for number in range(runs):
        run(number)
    taken = time.process_time() - began
    sys.stdout.write(f"{taken / runs / STEPS * 1e6:.1f}\n")
