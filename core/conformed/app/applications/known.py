"""The applications that there are, and which one a run is of."""

from __future__ import annotations

from typing import Any

from conformed.app.applications.covenant import COVENANT
from conformed.app.applications.profile import Profile
from conformed.app.applications.short_answer import SHORT_ANSWER
from conformed.engine.history import History
from conformed.errors import JournalError
from conformed.policy.steps import ORDERS, Application

__all__ = ["application_of", "profile_of"]

_PROFILES: tuple[Profile[Any, Any], ...] = (COVENANT, SHORT_ANSWER)


def application_of(history: History) -> Application:
    """The application of a run, by the step with which it begins: told by the records themselves, whatever was erased.

    Raises:
        JournalError: when no application of this version begins so.
    """
    pending = history.pending[0] if history.pending else ""
    first = history.moves[0].step if history.moves else pending
    for application, order in ORDERS.items():
        if order[0] == first:
            return application
    raise JournalError(f"Run {history.run} begins as no run of this version does.", "Use the version that ran it.")


def profile_of(history: History) -> Profile[Any, Any]:
    """What the application of a run brings.

    Raises:
        JournalError: when no application of this version begins so.
    """
    application = application_of(history)
    return next(one for one in _PROFILES if one.application is application)
