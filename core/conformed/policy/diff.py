"""What differs between two contracts, in words: which promise became tighter and which looser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from pydantic import BaseModel

from conformed.model.base import Frozen
from conformed.policy.may import ANYONE, Action
from conformed.policy.schema import TaskContract

__all__ = ["Change", "diff"]

# Lists whose items are named, by the key that names them; a change of one item is told apart from the others.
_NAMED = {"steps": "name", "uses": "plugin", "regression_slices": "name", "allowed_plugins": "distribution"}
# Lists in which the order counts, beside what is in them.
_ORDERED = ("uses",)
_RULES: tuple[tuple[str, str], ...] = (
    (r"limits\.\w+", "less is tighter"),
    (r"steps\.\w+\.timeout_seconds", "less is tighter"),
    (r"steps\.\w+\.then\.review", "person is tighter"),
    (r"steps\.\w+\.uses\.[\w-]+(\..*)?", "neither"),
    (r"consequence", "consequence"),
    (r"approval\.two_people|approval\.different_roles", "true is tighter"),
    (r"approval\.roles\[.*\]", "fewer is tighter"),
    (r"second_approval\.when\[.*\]", "more items are tighter"),
    (r"second_approval\.roles\[.*\]", "fewer is tighter"),
    (r"may\.\w+", "may"),
    (r"retention\.years", "more is tighter"),
    (r"retention\.keep\[.*\]", "more items are tighter"),
    (r"retention\.never_keep\[.*\]", "more items are tighter"),
    (r"abstain_when\[.*\]", "more items are tighter"),
    (r"evidence\[.*\]", "fewer is tighter"),
    (r"answer\.results\[.*\]", "fewer is tighter"),
    (r"normalisation\[.*\]", "fewer is tighter"),
    (r"regression_slices\..*", "more items are tighter"),
    (r"allowed_plugins\.[^\]]*\.entry_points\[.*\]", "neither"),
    (r"allowed_plugins\.[A-Za-z0-9_.-]+", "allowed"),
    (r"headroom_alert", "more is tighter"),
)
_LEVELS = {"low": 0, "medium": 1, "high": 2}


class Change(Frozen):
    """One difference."""

    path: str
    """Where: ``limits.wall_seconds``, ``steps.draft.uses.templates.version``, ``abstain_when[review_*]``."""
    old: str | None
    """Before; None where it was not there."""
    new: str | None
    """After; None where it is no longer there."""
    direction: str
    """tightened, loosened or changed."""

    @property
    def sentence(self) -> str:
        """The difference in words."""
        old, new = (f'"{one}"' if one is not None and " " in one else one for one in (self.old, self.new))
        if old is None:
            what = f"{self.path} is new" + (f": {new}" if new != "listed" else "")
        elif new is None:
            what = f"{self.path} is gone" + (f" (was {old})" if old != "listed" else "")
        else:
            what = f"{self.path}: {old} becomes {new}"
        return f"{what}; {self.direction}." if self.direction != "changed" else f"{what}."


def diff(old: TaskContract, new: TaskContract) -> tuple[Change, ...]:
    """Every difference of meaning between two contracts, sorted by path; empty where they mean the same."""
    before, after = dict(_flat(old)), dict(_flat(new))
    for path in sorted(p for p in {*before, *after} if p.startswith("may.")):
        action = Action(path.removeprefix("may."))  # where one of the two is silent, its default counts
        before[path], after[path] = ", ".join(old.roles(action)), ", ".join(new.roles(action))
    changes = []
    for path in sorted(before.keys() | after.keys()):
        was, now = before.get(path), after.get(path)
        if was != now:
            changes.append(Change(path=path, old=was, new=now, direction=_direction(path, was, now)))
    return tuple(changes)


def _flat(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Each leaf as path and text. Lists without order become one entry an item."""
    if isinstance(value, BaseModel):
        for key in type(value).model_fields:
            yield from _flat(getattr(value, key), f"{path}.{key}" if path else key)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(inner, f"{path}.{key}")
    elif isinstance(value, tuple):
        key = path.rsplit(".", 1)[-1]
        if key in _NAMED:
            for item in value:
                yield from _flat(item, f"{path}.{getattr(item, _NAMED[key])}")
            if key in _ORDERED and len(value) > 1:
                yield f"{path} order", ", ".join(item.plugin for item in value)
        elif ".options." in path or path.startswith("may."):
            yield path, ", ".join(map(str, value))  # the order of a plugin's lists may count, and that of roles does
        else:
            for item in value:
                yield f"{path}[{item}]", "listed"
    elif value is not None:
        yield path, str(value)


def _direction(path: str, old: str | None, new: str | None) -> str:
    """tightened, loosened or changed."""
    rule = next((rule for pattern, rule in _RULES if re.fullmatch(pattern, path)), "neither")
    tighter: bool | None = None
    if rule in ("fewer is tighter", "more items are tighter"):
        if old is None or new is None:
            tighter = (new is None) == (rule == "fewer is tighter")
    elif rule == "may" and old is not None and new is not None:
        tighter = _may(old, new)
    elif rule == "allowed":
        tighter = _allowed(path, old, new)
    elif rule == "true is tighter":
        tighter = new == "True"
    elif rule == "person is tighter":
        tighter = new == "person"
    elif rule == "consequence" and old is not None and new is not None:
        tighter = _LEVELS[new] > _LEVELS[old]
    elif rule in ("less is tighter", "more is tighter"):
        # A value that is absent promises nothing: adding it tightens.
        tighter = (
            new is not None if old is None or new is None else (Fraction(new) < Fraction(old)) == (rule == "less is tighter")
        )
    return "changed" if tighter is None else "tightened" if tighter else "loosened"


def _may(old: str, new: str) -> bool | None:
    """Roles that become fewer are tighter; others instead of them are only another choice."""
    before, after = set(old.split(", ")), set(new.split(", "))
    if ANYONE in before | after:
        return ANYONE in before
    return None if not (before < after or after < before) else after < before


def _allowed(path: str, old: str | None, new: str | None) -> bool | None:
    """A distribution that comes or goes, or the digest of one: known; a moved pin is only a change."""
    if path.endswith(".digest"):
        return None if old is not None and new is not None else new is not None
    if path.endswith(".distribution"):
        return None if old is not None and new is not None else new is None
    return None
