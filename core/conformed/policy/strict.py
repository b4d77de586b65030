"""Strict YAML: every scalar a string, every node with its place, and nothing that means two things.

A subset of YAML: one document of mappings, sequences and scalars. Whatever a reader and a parser could understand
differently is refused with its line and column: duplicate keys, tags, anchors and aliases, merge keys, empty values,
words that look like null, tabs, byte order marks, directives, a second document. Because there are no aliases, a
small file cannot unfold into a large one; size, depth and number of nodes are bounded before anything is built.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from conformed.errors import PolicyError

__all__ = ["MAX_BYTES", "MAX_DEPTH", "MAX_NODES", "Node", "parse"]

MAX_BYTES = 256 * 1024
"""Largest file, in bytes."""
MAX_DEPTH = 16
"""Deepest nesting of mappings and sequences."""
MAX_NODES = 20_000
"""Most mappings, sequences and scalars together."""

_NULLS = frozenset({"null", "Null", "NULL", "~"})
# Characters that show as nothing, turn the order of reading, or break lines for some programs and not for others.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]"
)


@dataclass(slots=True)
class Node:
    """One value of a file with its place. Exactly one of the three contents is not None."""

    line: int
    """1-based line."""
    column: int
    """1-based column."""
    scalar: str | None = None
    """A scalar's text; quoted or not makes no difference."""
    items: list[Node] | None = None
    """Items of a sequence."""
    fields: dict[str, Node] | None = None
    """Values of a mapping."""
    keys: dict[str, Node] = field(default_factory=dict)
    """Of a mapping: each key as a node, for its place."""

    @property
    def kind(self) -> str:
        """What it is, for messages: a mapping, a list or a scalar."""
        return "a mapping" if self.fields is not None else "a list" if self.items is not None else "a scalar"


def parse(data: bytes, *, name: str) -> Node:
    """The tree of one file, with places.

    Args:
        data: the exact bytes.
        name: how the file is called in messages.

    Raises:
        PolicyError: for anything outside the subset, with file, line and column.
    """
    text = _decode(data, name)
    try:
        return _Builder(name).build(YAML(typ="safe", pure=True).parse(text))
    except MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
        what = (problem.problem or problem.context or "cannot be parsed").strip()
        raise PolicyError(
            f"this is not YAML: {what}.", "Mend the line, or the one above it.", file=name, line=line, column=column
        ) from problem
    except (YAMLError, ValueError, RecursionError, AttributeError, AssertionError, IndexError, TypeError) as problem:
        # ruamel meets a few malformed inputs with a bare exception of Python; none may leave this package.
        raise PolicyError("this is not YAML.", "Start from `conformed init`'s example.", file=name, line=1, column=1) from problem


def _decode(data: bytes, name: str) -> str:
    """Bytes to text, refusing what is not plain UTF-8."""

    def refuse(found: str, mend: str, offset: int) -> PolicyError:
        before = data[:offset].decode("utf-8", errors="replace")
        line = before.count("\n") + 1
        return PolicyError(found, mend, file=name, line=line, column=len(before) - (before.rfind("\n") + 1) + 1)

    if len(data) > MAX_BYTES:
        raise refuse(f"the file has {len(data)} bytes; at most {MAX_BYTES} are read.", "Split it.", 0)
    if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise refuse("the file begins with a byte order mark.", "Save it as UTF-8 without one.", 0)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise refuse(f"byte 0x{data[problem.start]:02x} is not UTF-8.", "Save the file as UTF-8.", problem.start) from problem
    text = text.replace("\r\n", "\n")
    for line, row in enumerate(text.split("\n"), start=1):
        if "\t" in row:
            raise PolicyError("a tab stands here.", "Use spaces.", file=name, line=line, column=row.index("\t") + 1)
        if (unseen := _UNSEEN.search(row)) is not None or "\r" in row:
            at = unseen.start() if unseen is not None else row.index("\r")
            raise PolicyError(
                f"the character U+{ord(row[at]):04X} stands here, which a reader does not see.",
                "Delete it.",
                file=name,
                line=line,
                column=at + 1,
            )
    return text


class _Builder:
    """Builds the tree from parser events, one check an event."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.nodes = 0

    def refuse(self, event: Event, found: str, mend: str) -> PolicyError:
        mark = event.start_mark
        return PolicyError(found, mend, file=self.name, line=mark.line + 1, column=mark.column + 1)

    def build(self, events: Iterator[Event]) -> Node:
        root: Node | None = None
        stack: list[Node] = []
        keys: list[Node | None] = []
        documents = 0
        for event in events:
            if isinstance(event, DocumentStartEvent):
                documents += 1
                self._document(event, documents)
            elif isinstance(event, MappingEndEvent | SequenceEndEvent):
                stack.pop()
                keys.pop()
            elif isinstance(event, ScalarEvent | MappingStartEvent | SequenceStartEvent | AliasEvent):
                waiting_for_key = bool(stack) and stack[-1].fields is not None and keys[-1] is None
                node = self._node(event, is_key=waiting_for_key, key=keys[-1] if keys else None)
                if waiting_for_key:
                    self._key(event, node, stack[-1])
                    keys[-1] = node
                    continue
                if not stack:
                    root = node
                elif stack[-1].items is not None:
                    stack[-1].items.append(node)
                else:
                    key = keys[-1]
                    assert key is not None
                    assert key.scalar is not None
                    assert stack[-1].fields is not None
                    stack[-1].fields[key.scalar] = node
                    keys[-1] = None
                if node.scalar is None:
                    if len(stack) >= MAX_DEPTH:
                        raise self.refuse(event, f"this is nested more than {MAX_DEPTH} deep.", "Flatten it.")
                    stack.append(node)
                    keys.append(None)
        if root is None:
            raise PolicyError("the file is empty.", "Write its keys.", file=self.name, line=1, column=1)
        return root

    def _document(self, event: DocumentStartEvent, count: int) -> None:
        if count > 1:
            raise self.refuse(event, "a second document begins here.", "Keep one document a file.")
        if event.version is not None or event.tags:
            raise self.refuse(event, "the file has a % directive.", "Delete the line.")

    def _node(self, event: NodeEvent, *, is_key: bool, key: Node | None) -> Node:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise self.refuse(event, f"the file has more than {MAX_NODES} values.", "Split it.")
        if isinstance(event, AliasEvent):
            raise self.refuse(event, f"the alias *{event.anchor} stands here.", "Write the value out.")
        if event.anchor is not None:
            raise self.refuse(event, f"the anchor &{event.anchor} stands here.", "Delete it and write each value out.")
        if (tag := getattr(event, "ctag", None)) is not None:
            raise self.refuse(event, f"the tag {tag} stands here.", "Delete it: the schema decides the type.")
        line, column = event.start_mark.line + 1, event.start_mark.column + 1
        if isinstance(event, ScalarEvent):
            plain = event.style is None
            if plain and not is_key and event.value == "":
                # The parser meets nothing only at the start of what follows; a person looks for it at the key.
                at = (key.line, key.column) if key is not None else (line, column)
                mend = 'Give one, write "" for empty text, or leave the key out.'
                raise PolicyError("there is no value here.", mend, file=self.name, line=at[0], column=at[1])
            if plain and event.value in _NULLS:
                raise self.refuse(
                    event, f"{event.value} stands here, which some programs read as nothing.", "Leave the key out, or quote it."
                )
            return Node(line, column, scalar=event.value)
        return Node(line, column, fields={}) if isinstance(event, MappingStartEvent) else Node(line, column, items=[])

    def _key(self, event: Event, node: Node, mapping: Node) -> None:
        if node.scalar is None:
            raise self.refuse(event, f"a key is {node.kind}.", "Keys are plain words.")
        if node.scalar == "":
            raise self.refuse(event, "a key is empty.", "Name it.")
        if node.scalar == "<<":
            raise self.refuse(event, "a merge key (<<) stands here.", "Write the keys out.")
        if node.scalar in mapping.keys:
            first = mapping.keys[node.scalar]
            raise self.refuse(event, f"the key {node.scalar!r} stands twice; first on line {first.line}.", "Keep one.")
        mapping.keys[node.scalar] = node
