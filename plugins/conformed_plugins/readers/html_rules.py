"""The rules of a page's own style sheets: which elements they are about, and what they say of their words.

Rules whose selector is a tag, a class, an identity or an attribute, alone, joined or below another, are followed. What cannot
be followed (the state of a page, places among siblings) is counted where it would strike or hide words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from conformed_plugins.readers.html_style import NOTHING, Style, declarations

__all__ = ["Rules"]

_RULE = re.compile(r"([^{};]+)\{([^{}]*)\}")
_COMMENT = re.compile(r"/\*.*?\*/|<!--|-->", re.DOTALL)
_PART = re.compile(
    r"(?P<tag>[a-z][a-z0-9]*|\*)|\.(?P<cls>[\w-]+)|#(?P<id>[\w-]+)|\[(?P<key>[\w-]+)(?:(?P<how>[~|^$*]?=)[\"']?(?P<value>[^\"'\]]*)[\"']?)?\]"
    r"|(?P<pseudo>::?(?:before|after|first-letter|first-line|marker)\b)",
    re.IGNORECASE,
)
_PASSING = re.compile(
    r":(?:hover|focus|active|visited|link|focus-within|focus-visible|target|checked|disabled|selection)\b|::selection",
    re.IGNORECASE,
)
_PRINTED = re.compile(r"@media\b(?![^{]*\b(?:screen|all)\b)[^{]*\bprint\b[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}", re.IGNORECASE)
_MOST = 4_000


@dataclass(frozen=True, slots=True)
class _Simple:
    """One element as a selector describes it."""

    tag: str
    classes: tuple[str, ...]
    id: str
    attributes: tuple[tuple[str, str, str], ...]

    def fits(self, element: Any, tag: str) -> bool:
        """Whether an element is one of these."""
        if self.tag not in ("", "*", tag) or (self.id and element.get("id") != self.id):
            return False
        if self.classes and not set(self.classes) <= set((element.get("class") or "").split()):
            return False
        return all(_has(element.get(key), how, value) for key, how, value in self.attributes)


@dataclass(frozen=True, slots=True)
class _Rule:
    """A selector from its last part outwards, each with whether the next must be the parent, and what it declares."""

    parts: tuple[_Simple, ...]
    parents: tuple[bool, ...]
    style: Style

    def fits(self, element: Any) -> bool:
        """Whether the rule is about an element."""
        if not self.parts[0].fits(element, _tag(element)):
            return False
        here = element.getparent()
        for simple, parent in zip(self.parts[1:], self.parents, strict=True):
            while here is not None and not (isinstance(here.tag, str) and simple.fits(here, _tag(here))):
                if parent:
                    return False
                here = here.getparent()
            if here is None:
                return False
            here = here.getparent()
        return True


def _tag(element: Any) -> str:
    return str(element.tag).rpartition(":")[2]


def _has(found: str | None, how: str, value: str) -> bool:
    if found is None:
        return False
    if not how:
        return True
    return {
        "=": found == value,
        "~=": value in found.split(),
        "|=": found == value or found.startswith(f"{value}-"),
        "^=": bool(value) and found.startswith(value),
        "$=": bool(value) and found.endswith(value),
        "*=": bool(value) and value in found,
    }[how]


class Rules:
    """The rules of a page's style sheets that say something of its words.

    Args:
        sheet: the text of the sheets.
    """

    def __init__(self, sheet: str) -> None:
        self._by_key: dict[tuple[str, str], list[_Rule]] = {}
        self.unread = 0
        """Rules that would strike, hide or write words and could not be followed."""
        self.writes: list[_Rule] = []
        """Rules that write words of their own before or after an element."""
        texts: dict[str, dict[str, None]] = {}
        for selectors, body in _RULE.findall(_PRINTED.sub("", _COMMENT.sub("", sheet))):
            for selector in selectors.split(","):
                texts.setdefault(" ".join(selector.split()), {})[body] = None
        for selector, bodies in texts.items():
            style = declarations(";".join(bodies))
            if style == NOTHING or not selector or selector.startswith("@"):
                continue
            self._add(selector, style)

    def __bool__(self) -> bool:
        return bool(self._by_key or self.writes)

    def _add(self, selector: str, style: Style) -> None:
        if _PASSING.search(selector):
            return  # a state that the page is not in when it is opened
        parsed = _parse(selector)
        if parsed is None or sum(map(len, self._by_key.values())) >= _MOST:
            self.unread += style.struck or style.vanishes or style.visible is False or style.written
            return
        parts, parents, pseudo = parsed
        rule = _Rule(parts, parents, style)
        if pseudo:
            if style.written:
                self.writes.append(rule)
            return
        last = parts[0]
        key = ("#", last.id) if last.id else (".", last.classes[0]) if last.classes else ("", last.tag)
        self._by_key.setdefault(key, []).append(rule)

    def of(self, element: Any, tag: str) -> list[Style]:
        """What the rules say of one element, in the order of the sheet."""
        keys = [("", "*"), ("", ""), ("", tag), *((".", name) for name in (element.get("class") or "").split())]
        if element.get("id"):
            keys.append(("#", element.get("id")))
        return [rule.style for key in keys for rule in self._by_key.get(key, ()) if rule.fits(element)]


def _parse(selector: str) -> tuple[tuple[_Simple, ...], tuple[bool, ...], bool] | None:
    """A selector as parts from the last outwards; None where it holds something that is not followed."""
    pieces = re.sub(r"\s*>\s*", " > ", selector).split()
    parts: list[_Simple] = []
    parents: list[bool] = []
    pseudo = False
    for piece in pieces:
        if piece == ">":
            if not parts or len(parents) != len(parts) - 1:
                return None
            parents.append(True)
            continue
        if len(parents) < len(parts):
            parents.append(False)
        tag, classes, name, attributes, at = "", [], "", [], 0
        for match in _PART.finditer(piece):
            if match.start() != at:
                return None
            at = match.end()
            if match["pseudo"]:
                pseudo = True
            elif match["tag"]:
                tag = match["tag"].lower()
            elif match["cls"]:
                classes.append(match["cls"])
            elif match["id"]:
                name = match["id"]
            else:
                attributes.append((match["key"].lower(), match["how"] or "", match["value"] or ""))
        if at != len(piece):
            return None
        parts.append(_Simple(tag, tuple(classes), name, tuple(attributes)))
    if not parts or len(parents) != len(parts) - 1:
        return None
    return tuple(reversed(parts)), tuple(reversed(parents)), pseudo
