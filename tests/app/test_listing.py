"""The list of plugins has everything that is registered, and everything that failed with its reason."""

from __future__ import annotations

from conformed.app.listing import rows_of
from conformed.hooks import Failure, NoOptions, Origin, Registration, Registry


def test_ready_ones_first_then_failed_ones_with_their_reason() -> None:
    """A plugin that could not be loaded is a row with its reason and hides none of the others."""

    def make(options: NoOptions) -> object:
        raise AssertionError("a list makes nothing")

    origin = Origin(entry_point="builtin", distribution="conformed", version="0.1.0", module="conformed_plugins.readers")
    registry = Registry(
        registrations=(
            Registration("drafter", "templates", "1.0.0", "Words claims.", make),
            Registration("reader", "pdf", "2.1.0", "Reads PDF.", make, origin=origin),
        ),
        failures=(Failure("broken", "other-plugins", "3.0", "no module named x. Install it."),),
    )
    rows = rows_of(registry)
    assert [(row.kind, row.name, row.version, row.origin, row.status) for row in rows] == [
        ("drafter", "templates", "1.0.0", "", "ready"),
        ("reader", "pdf", "2.1.0", "conformed 0.1.0", "ready"),
        ("", "broken", "3.0", "other-plugins 3.0", "failed"),
    ]
    assert rows[2].reason == "no module named x. Install it."
