"""The report as text for people. What to use stands first, then what is determined and wrong, then the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["text_of"]


def text_of(report: Mapping[str, Any]) -> str:
    """The report as plain text.

    Args:
        report: as ``policy.make_policy`` gives it.
    """
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Mapping[str, Any]) -> Iterator[str]:
    yield report["first"]
    yield ""
    yield "Determined and wrong, and right, with Wilson's intervals of 95%. Items are invented clauses; they say nothing of real agreements."
    yield ""
    head = ("split", "reader", "items", "determined and wrong", "right", "silent", "unreadable")
    table = [
        head,
        *(
            (
                one["split"],
                one["reader"],
                str(one["items"]),
                _of(one["determined_and_wrong"]),
                _of(one["right"]),
                str(one["silent"]),
                str(one["unreadable"]),
            )
            for one in report["rows"]
        ),
    ]
    widths = [max(len(row[at]) for row in table) for at in range(len(head))]
    for row in table:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
    yield ""
    yield "Paired, on the same items. p: McNemar exact, not corrected for the number of tests; interval: bootstrap that draws wordings whole."
    for one in report["pairs"]:
        low, high = one["interval"]
        yield (
            f"{one['split']}: {one['after']} against {one['before']}: {one['improved']} improved, {one['regressed']} regressed, "
            f"{one['difference']:+.3f} ({low:+.3f} to {high:+.3f}), p = {one['p_value']:.2g}"
        )
    yield ""
    yield "Goals"
    for one in report["goals"]:
        yield f"{'reached' if one['reached'] else 'MISSED'}: {one['goal']}: {one['found']}"
    yield ""
    for name in ("sft", "grpo"):
        if name in report["training"]:
            yield f"{name}: " + ", ".join(f"{key} {value}" for key, value in report["training"][name].items())
    yield f"Given out: {report['given_out']}."
    for name, folder in report["folders"].items():
        yield f"{name}: folder {folder['folder']}, manifest {folder['manifest']}"


def _of(share: Mapping[str, Any]) -> str:
    low, high = share["interval"]
    return f"{share['count']} ({100 * low:.1f}% to {100 * high:.1f}%)"
