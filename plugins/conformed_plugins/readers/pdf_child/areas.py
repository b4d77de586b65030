"""Arithmetic of rectangles: left, bottom, right, top."""

from __future__ import annotations

from .objects import Box

__all__ = ["area", "centred", "overlap"]


def area(box: Box) -> float:
    """The area of a rectangle, in square points; never negative."""
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def centred(box: Box, around: Box) -> bool:
    """Whether the middle of a rectangle lies in another."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return around[0] <= x <= around[2] and around[1] <= y <= around[3]


def overlap(one: Box, other: Box) -> float:
    """The area that two rectangles share, in square points."""
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return wide * high if wide > 0 and high > 0 else 0.0
