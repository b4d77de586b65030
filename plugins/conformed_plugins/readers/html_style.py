"""What a style says about words: struck, underlined, hidden, raised, and where a page breaks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from conformed_plugins.readers.html_colour import colour_of

__all__ = ["NOTHING", "Style", "declarations", "over", "plain_colour"]


@dataclass(frozen=True, slots=True)
class Style:
    """The declarations that matter here; None or False where nothing is said."""

    struck: bool = False
    """A line goes through the words."""
    underlined: bool = False
    """A line goes under the words."""
    double: bool = False
    """That line is double."""
    vanishes: bool = False
    """Never shown, descendants included (display:none, no size, transparent, clipped, moved off the page)."""
    visible: bool | None = None
    """The inherited property visibility."""
    colour: str | None = None
    """Colour of the words: ``#rrggbb``, ``clear`` where nothing of it is seen, or the words that could not be read."""
    ground: str | None = None
    """Colour behind the words, written in the same way; ``picture`` where it is a picture or a shade of several."""
    raised: bool = False
    """Set higher than the words before it, as a note mark is."""
    laid_over: bool = False
    """Taken out of the flow and turned, as a watermark is."""
    written: bool = False
    """The style itself writes words or pictures, which the file's text does not hold."""
    before: bool = False
    """A page breaks before the element."""
    after: bool = False
    """A page breaks after the element."""
    pre: bool | None = None
    """White space counts."""
    block: bool | None = None
    """Shown as a block, or made inline."""
    inset: bool = False
    """A gap is set at the left, as wide as a word space or wider."""
    width: str = ""
    """Width as written."""


NOTHING = Style()
"""A style that says nothing."""

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_ZERO = re.compile(r"0+(?:\.0+)?(?:px|pt|em|rem|ex|%|cm|mm|in|vh|vw)?")
_FAR = re.compile(r"-?(?:\d{4,}(?:\.\d+)?(?:px|pt)?|\d{3,}(?:\.\d+)?(?:em|rem|ex|%|vw|vh|in|cm|mm))")
_LENGTH = re.compile(r"(\d+(?:\.\d+)?)(pt|px|em|in|cm)")
_FADED = re.compile(r"opacity\(\s*0*(?:\.0\d*|[0-4]?%)?\s*\)")
_ONE = re.compile(r"1px")
_UP = re.compile(r"(?!0+(?:\.0+)?(?:[a-z%]|$))\d*\.?\d+(?:px|pt|em|rem|ex|%|cm|mm|in)")
_POINTS = {"pt": 1.0, "px": 0.75, "em": 11.0, "in": 72.0, "cm": 28.0}
_SMALL = 1.5
"""Points: letters that are no larger cannot be read."""
_GONE = re.compile(
    r"translate(?:x|y|3d)?\([^)]*-?\d{4,}(?:\.\d+)?(?:px|pt)|translate(?:x|y|3d)?\([^)]*-?\d{3,}(?:em|rem|%|vw|vh)|scale[xy]?\(0"
)
_CLIPPED = re.compile(
    r"rect\((?:\s*0(?:px|pt)?[\s,]*){4}\)|rect\((?:\s*1px[\s,]*){4}\)|inset\((?:50|100)%|circle\(0|polygon\(0(?:px)? 0(?:px)?\)"
)


def plain_colour(value: str) -> str:
    """A colour in one way of writing."""
    return colour_of(value) or value.replace(" ", "")


def _small(size: str) -> bool:
    if _ZERO.fullmatch(size):
        return True
    found = _LENGTH.fullmatch(size)
    return found is not None and float(found[1]) * _POINTS[found[2]] <= _SMALL


def _number(value: str) -> float | None:
    try:
        return float(value.rstrip("%")) / (100 if value.endswith("%") else 1)
    except ValueError:
        return None


def _vanishes(found: dict[str, str]) -> bool:
    """Whether some declaration keeps the words from being seen, whatever they are."""
    opacity = _number(found.get("opacity", "1"))
    away = found.get("position") in {"absolute", "fixed", "relative"} and any(
        _FAR.fullmatch(found.get(side, "")) for side in ("left", "right", "top", "bottom")
    )
    outside = any(
        value.startswith("-") and _FAR.fullmatch(value)
        for name in ("text-indent", "margin", "margin-left", "margin-top", "margin-right")
        for value in found.get(name, "").split()
    )
    cut = (
        "hidden" in f"{found.get('overflow', '')} {found.get('overflow-x', '')} {found.get('overflow-y', '')}"
        or "clip" in found.get("overflow", "")
    )
    return (
        found.get("display", "") == "none"
        or _small(found.get("font-size", "1em"))
        or (opacity is not None and opacity < 0.05)
        or found.get("content-visibility") == "hidden"
        or bool(_FADED.search(found.get("filter", "")))
        or away
        or outside
        or (
            cut
            and any(
                _ZERO.fullmatch(found.get(k, "")) or _ONE.fullmatch(found.get(k, ""))
                for k in ("height", "width", "max-height", "max-width", "line-height")
            )
        )
        or bool(_GONE.search(f"{found.get('transform', '')} {'scale(0' if _ZERO.fullmatch(found.get('scale', '1')) else ''}"))
        or (found.get("position") in {"absolute", "fixed"} and bool(_CLIPPED.search(found.get("clip", ""))))
        or bool(_CLIPPED.search(found.get("clip-path", "")))
    )


def _raised(found: dict[str, str]) -> bool:
    align = found.get("vertical-align", "")
    relative = found.get("position") == "relative"
    return (
        "super" in align
        or align == "text-top"
        or (align == "top" and "font-size" in found)
        or bool(_UP.fullmatch(align))
        or (relative and found.get("top", "").startswith("-"))
        or (relative and bool(_UP.fullmatch(found.get("bottom", ""))))
        or "super" in found.get("font-variant-position", "")
    )


@lru_cache(maxsize=4096)
def declarations(text: str) -> Style:
    """Reads the declarations of one style attribute or one rule."""
    found: dict[str, str] = {}
    for declaration in _COMMENT.sub("", text.lower()).split(";"):
        key, colon, value = declaration.partition(":")
        if colon:
            found[key.strip()] = value.replace("!important", "").strip()
    line = f"{found.get('text-decoration', '')} {found.get('text-decoration-line', '')} {found.get('text-decoration-style', '')}"
    display = found.get("display", "")
    colour, ground = (
        found.get("-webkit-text-fill-color") or found.get("color"),
        found.get("background-color") or found.get("background"),
    )
    space = found.get("white-space", "")
    gap = _LENGTH.fullmatch(found.get("padding-left", "") or found.get("margin-left", ""))
    return Style(
        struck="line-through" in line,
        underlined="underline" in line,
        double="double" in line or "double" in found.get("border-bottom", ""),
        vanishes=_vanishes(found),
        visible=None if "visibility" not in found else found["visibility"] not in {"hidden", "collapse"},
        colour=plain_colour(colour) if colour and colour not in {"inherit", "currentcolor", "unset"} else None,
        ground=_ground(ground) if ground else None,
        raised=_raised(found),
        laid_over=found.get("position") in {"absolute", "fixed"}
        and "rotate" in f"{found.get('transform', '')} {'rotate' if 'rotate' in found else ''}",
        written=bool(re.search(r"\d|url\(|attr\(", found.get("content", ""))),
        before=_breaks(found.get("page-break-before", "") or found.get("break-before", "")),
        after=_breaks(found.get("page-break-after", "") or found.get("break-after", "")),
        pre=None if not space else space.startswith("pre") or space == "break-spaces",
        block={"block": True, "list-item": True, "inline": False}.get(display),
        inset=bool(gap) and float(gap[1]) * _POINTS[gap[2]] >= 3 if gap else False,
        width=found.get("width", ""),
    )


def _breaks(value: str) -> bool:
    return value in {"always", "page", "left", "right", "recto", "verso"}


def _ground(value: str) -> str | None:
    """What a background paints: nothing, one colour, or a picture."""
    if "url(" in value or "gradient(" in value:
        return "picture"
    plain = colour_of(value) or next((c for c in map(colour_of, value.split()) if c), None)
    return None if plain == "clear" or (plain is None and value in {"none", "inherit", "initial", "unset"}) else plain


def over(rule: Style, own: Style) -> Style:
    """The element's own style over a rule's."""
    return Style(
        struck=rule.struck or own.struck,
        underlined=rule.underlined or own.underlined,
        double=rule.double or own.double,
        vanishes=rule.vanishes or own.vanishes,
        visible=rule.visible if own.visible is None else own.visible,
        colour=own.colour or rule.colour,
        ground=own.ground or rule.ground,
        raised=rule.raised or own.raised,
        laid_over=rule.laid_over or own.laid_over,
        written=rule.written or own.written,
        before=rule.before or own.before,
        after=rule.after or own.after,
        pre=rule.pre if own.pre is None else own.pre,
        block=rule.block if own.block is None else own.block,
        inset=rule.inset or own.inset,
        width=own.width or rule.width,
    )
