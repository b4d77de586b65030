"""Styles of a Word document: what a run's properties, and the styles under them, say of struck, hidden and numbered words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from conformed_plugins.readers.docx_package import local
from conformed_plugins.readers.html_colour import colour_of

__all__ = ["COMMON", "PLAIN", "SYMBOLS", "Look", "Styles", "attribute", "child", "number_of", "on", "shaded"]

CLEAR = 95_000
"""Thousandths of a per cent of transparency from which nothing is seen."""
SMALL, NARROW = 3, 5
"""Half points, and hundredths of a letter's width: no one can read words that are no larger."""
SYMBOLS = frozenset({"symbol", "wingdings", "wingdings 2", "wingdings 3", "webdings", "zapfdingbats", "mt extra", "marlett"})
"""Fonts whose glyphs are not the letters that stand for them."""
COMMON = frozenset(
    [
        "arial",
        "arial narrow",
        "arial black",
        "times new roman",
        "times",
        "calibri",
        "calibri light",
        "cambria",
        "cambria math",
        "candara",
        "century",
        "century gothic",
        "century schoolbook",
        "book antiqua",
        "bookman old style",
        "garamond",
        "georgia",
        "verdana",
        "tahoma",
        "trebuchet ms",
        "courier new",
        "courier",
        "helvetica",
        "palatino linotype",
        "palatino",
        "segoe ui",
        "franklin gothic book",
        "gill sans mt",
        "aptos",
        "aptos display",
        "liberation serif",
        "liberation sans",
        "univers",
        "consolas",
        "constantia",
        "corbel",
    ]
)
"""Fonts that a reader's own machine has, and uses in place of one of that name inside a file."""
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


def shaded(properties: Any | None) -> str | None:
    """The colour behind a run, paragraph or cell; ``picture`` where it is not known, None where nothing is said."""
    shade = child(properties, "shd")
    if shade is None:
        return None
    fill = (attribute(shade, "fill") or "auto").lower()
    if attribute(shade, "val") in {"solid"}:
        fill = (attribute(shade, "color") or "auto").lower()
        return "#000000" if fill == "auto" else f"#{fill}"
    if fill == "auto":
        return "picture" if attribute(shade, "themeFill") else None
    return f"#{fill}"


def _behind(properties: Any) -> str | None:
    """What lies behind a run: a highlight goes over a shade."""
    marked = child(properties, "highlight")
    name = (attribute(marked, "val") or "none").lower() if marked is not None else "none"
    return shaded(properties) if name == "none" else colour_of(name) or "picture"


def _filled(element: Any | None) -> str | None:
    """The colour with which letters are filled in the newer way of writing it; white where they are clear."""
    for inner in element.iter() if element is not None else ():
        if local(inner) == "noFill":
            return "ffffff"
        if local(inner) == "alpha" and (number_of(inner) or 0) >= CLEAR:
            return "ffffff"
    colours = [attribute(inner, "val") for inner in element.iter() if local(inner) == "srgbClr"] if element is not None else []
    return (colours[0] or "auto").lower() if colours else None


def _font(element: Any | None) -> str | None:
    name = (attribute(element, "ascii") or attribute(element, "hAnsi")) if element is not None else None
    return name.lower() if name else None


def _colour(element: Any) -> str:
    if (attribute(element, "themeColor") or "") in {"background1", "light1"} and attribute(element, "themeShade") is None:
        return "ffffff"
    return (attribute(element, "val") or "auto").lower()


@dataclass(frozen=True, slots=True)
class Look:
    """What properties say of a run; None where nothing is said."""

    struck: bool | None = None
    hidden: bool | None = None
    underline: str | None = None
    colour: str | None = None
    ground: str | None = None
    raised: bool | None = None
    tiny: bool | None = None
    """Set so small or so narrow that nobody can read it."""
    font: str | None = None
    """Its font, in lower case."""

    def over(self, under: Look) -> Look:
        """These properties, filled up from others."""
        return Look(
            struck=under.struck if self.struck is None else self.struck,
            hidden=under.hidden if self.hidden is None else self.hidden,
            underline=under.underline if self.underline is None else self.underline,
            colour=under.colour if self.colour is None else self.colour,
            ground=under.ground if self.ground is None else self.ground,
            raised=under.raised if self.raised is None else self.raised,
            tiny=under.tiny if self.tiny is None else self.tiny,
            font=under.font if self.font is None else self.font,
        )

    @staticmethod
    def of(properties: Any | None) -> Look:
        """Reads run properties. Only direct children count: what a tracked change of format replaced lies deeper."""
        if properties is None or not len(properties):
            return PLAIN
        found = {local(inner): inner for inner in properties}
        strikes = [on(found.get(name)) for name in ("strike", "dstrike") if name in found]
        align = found.get("vertAlign")
        size, width, lift = number_of(found.get("sz")), number_of(found.get("w")), number_of(found.get("position"))
        raised = attribute(align, "val") == "superscript" if align is not None else None
        return Look(
            struck=any(strikes) if strikes else None,
            hidden=on(found.get("vanish")),
            underline=attribute(found["u"], "val") or "single" if "u" in found else None,
            colour=_filled(found.get("textFill")) or (_colour(found["color"]) if "color" in found else None),
            ground=_behind(properties),
            raised=raised or (lift is not None and lift > 0) if raised is not None or lift is not None else None,
            tiny=(size is not None and size <= SMALL) or (width is not None and width <= NARROW)
            if size is not None or width is not None
            else None,
            font=_font(found.get("rFonts")),
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
