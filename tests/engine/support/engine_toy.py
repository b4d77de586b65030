"""A contract that has nothing to do with covenants: a bakery. It shows that the machine is a framework.

order (read) -> weigh (pure) -> bake (effect) -> label (pure, skipped when the bread is burnt) -> conclusion.
The oven is a file: each line is a bread, with the key under which it was baked.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from conformed.engine.context import Conclusion, Inputs, StepContext
from conformed.engine.journal import Journal
from conformed.engine.log import Identity
from conformed.engine.machine import Ended, Machine
from conformed.engine.workflow import ACCEPT, CONCLUDE, Kind, Limits, Slot, StepSpec, Workflow
from conformed_audit import AuditLog

ORIGIN = "bakery.example/test"
DIGEST = "sha256:" + "a" * 64
REGISTRATIONS: dict[str, object] = {"registrations": [{"kind": "oven", "name": "stone", "version": "1.0.0"}]}


class Plain(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Wish(Plain):
    loaves: int


class Order(Plain):
    loaves: int
    asked: int


class Dough(Plain):
    grams: int


class Bread(Plain):
    key: str
    burnt: bool = False


class Label(Plain):
    text: str


class Basket(Plain):
    run: str
    loaves: int | None = None
    grams: int | None = None
    baked: bool = False
    label: str = ""
    failures: tuple[str, ...] = ()


ORDER, DOUGH, BREAD, LABEL = Slot("order", Order), Slot("dough", Dough), Slot("bread", Bread), Slot("label", Label)


class Bakery:
    """The steps' code, with the outside world in a folder, and a hook into each step for tests."""

    def __init__(self, folder: Path, *, burnt: bool = False, hook: Callable[[str, str], None] = lambda step, when: None) -> None:
        self.folder, self.burnt, self.hook = folder, burnt, hook

    def count(self, name: str) -> int:
        """How often something was done, over all processes."""
        file = self.folder / name
        return len(file.read_text().splitlines()) if file.exists() else 0

    def note(self, name: str, line: str = "once") -> None:
        with (self.folder / name).open("a") as file:
            file.write(line + "\n")

    def order(self, _inputs: Inputs, context: StepContext) -> Order:
        self.hook("order", "before")
        self.note("asked")
        found = Order(loaves=context.request.model_dump()["loaves"], asked=1)
        self.hook("order", "after")
        return found

    def weigh(self, inputs: Inputs, _context: StepContext) -> Dough:
        self.hook("weigh", "before")
        self.note("weighed")
        found = Dough(grams=inputs[ORDER].loaves * 800)
        self.hook("weigh", "after")
        return found

    def bake(self, _inputs: Inputs, context: StepContext) -> Bread:
        self.hook("bake", "before")
        self.note("oven", context.key)
        self.hook("bake", "after")
        return Bread(key=context.key, burnt=self.burnt)

    def look(self, key: str) -> Bread | None:
        """Asks the oven. An empty one cannot tell: the bread may be on its way."""
        oven = self.folder / "oven"
        if oven.exists() and key in oven.read_text().splitlines():
            return Bread(key=key, burnt=self.burnt)
        return None

    def label(self, inputs: Inputs, _context: StepContext) -> Label:
        self.hook("label", "before")
        found = Label(text=f"{inputs[DOUGH].grams} g")
        self.hook("label", "after")
        return found

    def workflow(self, *, limits: Limits | None = None, **changes: Any) -> Workflow:
        """The contract; ``changes`` replace fields of single steps by name of the step."""
        steps = [
            {"name": "order", "gives": ORDER, "run": self.order, "kind": Kind.READ},
            {"name": "weigh", "gives": DOUGH, "run": self.weigh, "needs": (ORDER,)},
            {
                "name": "bake",
                "gives": BREAD,
                "run": self.bake,
                "needs": (DOUGH,),
                "kind": Kind.EFFECT,
                "ask": self.look,
                "outcome": lambda bread: "burnt" if bread.burnt else ACCEPT,
                "leads": {"burnt": CONCLUDE},
                "plugins": ("stone 1.0.0",),
            },
            {"name": "label", "gives": LABEL, "run": self.label, "needs": (DOUGH,)},
        ]
        made = tuple(StepSpec(**{**step, **changes.get(str(step["name"]), {})}) for step in steps)
        return Workflow("bakery", "1.0.0", DIGEST, made, conclude, Basket, limits or Limits(counters={"eggs": 3}))


def conclude(known: Conclusion) -> Basket:
    """What the baker hands over."""
    order, dough, bread, label = known.get(ORDER), known.get(DOUGH), known.get(BREAD), known.get(LABEL)
    return Basket(
        run=known.run,
        loaves=order.loaves if order else None,
        grams=dough.grams if dough else None,
        baked=bread is not None,
        label=label.text if label else "",
        failures=tuple(f"{one.step}:{one.code}" for one in known.failures),
    )


def ticking() -> Callable[[], datetime]:
    """A clock that moves by a second at each look."""
    moment = datetime(2026, 1, 1, tzinfo=UTC)

    def look() -> datetime:
        nonlocal moment
        moment += timedelta(seconds=1)
        return moment

    return look


def open_log(path: Path, origin: str = ORIGIN) -> AuditLog:
    """A log with a clock of its own."""
    return AuditLog.open(path, origin=origin, clock=ticking())


def identity(run: str = "run-1", **changes: str) -> Identity:
    """Who bakes."""
    return Identity(**{"case": "bread-1", "run": run, "engine": "1.0.0", "contract": DIGEST, "plugins": DIGEST, **changes})


def bake(log: Any, workflow: Workflow, *, run: str = "run-1", **changes: Any) -> Ended:
    """A whole run."""
    return Machine(workflow, Journal(log, identity(run)), **changes).begin(Wish(loaves=2), REGISTRATIONS)


def resume(log: Any, workflow: Workflow, *, run: str = "run-1", **changes: Any) -> Ended:
    """The rest of a run."""
    return Machine(workflow, Journal(log, identity(run)), **changes).resume(Wish)
