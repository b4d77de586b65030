"""Answers about models, as lines for a person."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from conformed.app.models.desk import BACKEND
from conformed.app.models.reporting import Added, Inspected, ListedModel, PinnedModel, Verified

__all__ = ["inspected_lines", "listed_lines", "pinned_lines", "verified_lines"]


def listed_lines(rows: Sequence[ListedModel]) -> Iterator[str]:
    """The list."""
    if not rows:
        yield "There is no model: no card in policies/models, and nothing in the mirror."
    for row in rows:
        yield f"{row.model:<24} {row.manifest_sha256[:12] or '-':<12} {_size(row.bytes):>9}  {row.licence}"
        if row.source:
            yield f"  from {row.source}"
        if row.note:
            yield f"  {row.note}"


def pinned_lines(found: PinnedModel) -> Iterator[str]:
    """What was pinned, and the words of a contract that use it."""
    for file in found.manifest.files:
        yield f"{file.sha256}  {file.size:>12}  {file.name}"
    yield f"Model     {found.manifest.model}, {found.manifest.source.shown}"
    yield f"Licence   {found.manifest.licence}"
    yield f"Manifest  {found.manifest_sha256}"
    if isinstance(found, Added):
        yield "Loaded    no" if found.first_token is None else f"Loaded    yes; its first token was {found.first_token}"
    yield f"Approve   manifest: {found.manifest_sha256}    (in policies/models/{found.manifest.model}.yaml)"
    yield f"Use       plugin {BACKEND}, options:"
    yield f"  {{folder: {json.dumps(found.folder)}, manifest: {found.manifest_sha256}, dtype: float32, device: cpu}}"


def verified_lines(rows: Sequence[Verified]) -> Iterator[str]:
    """What was verified."""
    for row in rows:
        said = "as pinned" if not row.troubles else f"REFUSED, {len(row.troubles)} found"
        approved = "approved" if row.approved else "not approved by a card"
        yield f"{row.model}: {said}; {row.files} files, {_size(row.bytes)}; manifest {row.manifest_sha256[:12]}, {approved}"
        yield from (f"  {one}" for one in row.troubles)


def inspected_lines(found: Inspected) -> Iterator[str]:
    """A rendered prompt, for the terminal of the person who asked: each line of it behind a bar."""
    yield f"Model     {found.model}, manifest {found.manifest_sha256[:12]}"
    yield f"Template  {found.template_sha256}"
    yield f"Thinking  {'on' if found.thinking else 'off'}"
    yield f"Tokens    {found.tokens}"
    yield f"First 12  {' '.join(map(str, found.first))}"
    yield f"Last 12   {' '.join(map(str, found.last))}"
    yield from (f"| {line}" for line in found.text.split("\n"))


def _size(count: int) -> str:
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count} {unit}"
        count = -(-count // 1024)
    return f"{count} GiB"
