"""The clock of the log against the clock of a witness."""

from __future__ import annotations

import sys
from datetime import datetime, timedelta
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "audit" / "support"))

import audit_world
from audit_world import ORIGIN, START, World, a_run

from conformed_audit import AuditLog, VerifyResult


class Clocks:
    """A wall clock that is set, and one that only goes on."""

    def __init__(self) -> None:
        self.wall, self.ns = START + timedelta(seconds=1200), 0

    def now(self) -> datetime:
        """Moves a second with each reading."""
        self.wall += timedelta(seconds=1)
        self.ns += 10**9
        return self.wall


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A published log with a witness, who cosigns an hour after the log began."""
    return audit_world.make_world(tmp_path / "w")


def lived(world: World, *, recorded: bool) -> list[VerifyResult]:
    """Sets the clock a day forward, publishes, puts it right, publishes; what verification says after each."""
    clocks, found = Clocks(), []
    log = AuditLog.open(world.path, origin=ORIGIN, clock=clocks.now, monotonic_ns=(lambda: clocks.ns) if recorded else None)
    with log:
        log.append(a_run("case-d")[:1])
        for number, days in enumerate((1, 0, -1)):
            clocks.wall += timedelta(days=days)
            log.append(a_run(f"case-{number}")[:1])
            world.publish(log)
            found.append(world.verify())
    return found


def test_a_recorded_step_forward_is_no_false_alarm(world: World) -> None:
    """The log said that its clock was set forward, so that its times after the witness's own are no forgery; nor later ones."""
    assert [(one.ok, one.first_bad) for one in lived(world, recorded=True)] == [(True, None)] * 3


def test_a_step_forward_of_which_nothing_says_so_is_found(world: World) -> None:
    """Without the record, times after the witness saw them are what a forger's would be."""
    found = lived(world, recorded=False)
    assert [one.first_bad and one.first_bad.check for one in found] == ["cosignature.time"] * 3


def test_once_it_is_put_back_the_allowance_is_gone(world: World) -> None:
    """A later record from the future is found as ever."""
    assert all(one.ok for one in lived(world, recorded=True))
    with world.open(clock=lambda: START + timedelta(days=1)) as log:
        log.append(a_run("case-late")[:1])
        world.publish(log)
    late = world.verify()
    assert (late.ok, late.first_bad and late.first_bad.check) == (False, "cosignature.time")
