"""Styles of a Word document: what a run's properties, and the styles under them, say of struck, hidden and numbered words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from conformed_plugins.readers.docx_package import local

__all__ = ["PLAIN", "Look", "Styles", "attribute", "child", "number_of", "on", "shaded"]

_FALSE = {"0", "false", "off", "none"}


def attribute(element: Any, name: str) -> str | None:
    """An attribute by its name without namespace."""
    for key, value in element.attrib.items():
        if key.rpartition("}")[2] == name:
            return str(value)
    return None


def child(element: Any, name: str) -> Any | None:
    """The first child of a name."""
    for inner in element if element is not None else ():
        if local(inner) == name:
            return inner
    return None


def on(element: Any | None) -> bool | None:
    """Whether a switch is on; None where it is not set."""
    return None if element is None else (attribute(element, "val") or "true").lower() not in _FALSE


def number_of(element: Any | None) -> int | None:
    """The whole number of an element's value, or None."""
    raw = attribute(element, "val") if element is not None else None
    try:
        return int(raw) if raw is not None and len(raw) < 10 else None
    except ValueError:
        return None


def shaded(properties: Any | None) -> bool:
    """Whether a paragraph or cell has a colour behind its words."""
    shade = child(properties, "shd")
    return shade is not None and (attribute(shade, "fill") or "auto").lower() not in {"auto", "ffffff"}


@dataclass(frozen=True, slots=True)
class Look:
    """What properties say of a run; None where nothing is said."""

    struck: bool | None = None
    hidden: bool | None = None
    underline: str | None = None
    colour: str | None = None
    ground: bool | None = None
    raised: bool | None = None

    def over(self, under: Look) -> Look:
        """These properties, filled up from others."""
        return Look(
            struck=under.struck if self.struck is None else self.struck,
            hidden=under.hidden if self.hidden is None else self.hidden,
            underline=under.underline if self.underline is None else self.underline,
            colour=under.colour if self.colour is None else self.colour,
            ground=under.ground if self.ground is None else self.ground,
            raised=under.raised if self.raised is None else self.raised,
        )

    @staticmethod
    def of(properties: Any | None) -> Look:
        """Reads run properties. Only direct children count: what a tracked change of format replaced lies deeper."""
        if properties is None or not len(properties):
            return PLAIN
        found = {local(inner): inner for inner in properties}
        strikes = [on(found.get(name)) for name in ("strike", "dstrike") if name in found]
        align = found.get("vertAlign")
        shade = found.get("shd")
        ground = None
        if shade is not None:
            ground = (attribute(shade, "fill") or "auto").lower() not in {"auto", "ffffff"}
        if on(found.get("highlight")) and (attribute(found["highlight"], "val") or "") != "white":
            ground = True
        return Look(
            struck=any(strikes) if strikes else None,
            hidden=on(found.get("vanish")),
            underline=attribute(found["u"], "val") or "single" if "u" in found else None,
            colour=(attribute(found["color"], "val") or "auto").lower() if "color" in found else None,
            ground=ground,
            raised=attribute(align, "val") == "superscript" if align is not None else None,
        )


PLAIN = Look()
"""Properties that say nothing."""


class Styles:
    """The styles of a document, each resolved through what it is based on."""

    def __init__(self, root: Any | None) -> None:
        self._styles: dict[str, Any] = {}
        self.default: str | None = None
        """Id of the default paragraph style."""
        for style in root if root is not None else ():
            if local(style) == "style":
                name = attribute(style, "styleId") or ""
                self._styles[name] = style
                if attribute(style, "type") == "paragraph" and attribute(style, "default") in {"1", "true"}:
                    self.default = name
        self._looks: dict[str, Look] = {}
        self._numbers: dict[str, tuple[int | None, int | None]] = {}

    def _line(self, name: str | None) -> Iterator[tuple[str, Any]]:
        seen: set[str] = set()
        while name and name in self._styles and name not in seen and len(seen) < 32:
            seen.add(name)
            style = self._styles[name]
            yield name, style
            based = child(style, "basedOn")
            name = attribute(based, "val") if based is not None else None

    def look(self, name: str | None) -> Look:
        """What a style says of its runs."""
        if not name:
            return PLAIN
        if name not in self._looks:
            look = PLAIN
            for _, style in self._line(name):
                look = look.over(Look.of(child(style, "rPr")))
            self._looks[name] = look
        return self._looks[name]

    def numbering(self, name: str | None) -> tuple[int | None, int | None, tuple[str, ...]]:
        """List id, level (either may be None) of a style, and the ids of the styles from it to its root."""
        names, number, level = [], None, None
        for each, style in self._line(name):
            names.append(each)
            properties = child(child(style, "pPr"), "numPr") if child(style, "pPr") is not None else None
            if properties is not None:
                number = number_of(child(properties, "numId")) if number is None else number
                level = number_of(child(properties, "ilvl")) if level is None else level
        return number, level, tuple(names)
