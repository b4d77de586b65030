"""What a style says about words: struck, underlined, hidden, raised, and where a page breaks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["NOTHING", "Style", "class_styles", "declarations"]


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
    """Never shown, descendants included (display:none, size 0, fully transparent, moved off the page)."""
    visible: bool | None = None
    """The inherited property visibility."""
    colour: str | None = None
    """Colour of the words in lower case; black is ``black``, white is ``white``."""
    ground: str | None = None
    """Colour behind the words; ``white`` where it is white."""
    raised: bool = False
    """Set as superscript."""
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

_WHITE = {"#fff", "#ffffff", "white", "rgb(255,255,255)"}
_BLACK = {"#000", "#000000", "black", "rgb(0,0,0)", "windowtext", "auto", "inherit", "initial", "currentcolor"}
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_SELECTOR = re.compile(r"(?P<tag>[a-z][a-z0-9]*)?(?:\.(?P<cls>[a-z0-9_-]+))?", re.IGNORECASE)
_ZERO = re.compile(r"0+(?:\.0+)?(?:px|pt|em|rem|%)?")
_FAR = re.compile(r"-\d{4,}(?:\.\d+)?(?:px|pt)?")
_LENGTH = re.compile(r"(\d+(?:\.\d+)?)(pt|px|em|in|cm)")
_POINTS = {"pt": 1.0, "px": 0.75, "em": 11.0, "in": 72.0, "cm": 28.0}


def _colour(value: str) -> str:
    plain = value.replace(" ", "")
    return "white" if plain in _WHITE else "black" if plain in _BLACK else plain


@lru_cache(maxsize=4096)
def declarations(text: str) -> Style:
    """Reads the declarations of one style attribute or one rule."""
    found: dict[str, str] = {}
    for declaration in text.lower().split(";"):
        key, colon, value = declaration.partition(":")
        if colon:
            found[key.strip()] = value.replace("!important", "").strip()
    line = f"{found.get('text-decoration', '')} {found.get('text-decoration-line', '')} {found.get('text-decoration-style', '')}"
    display = found.get("display", "")
    colour, ground = found.get("color"), found.get("background-color") or found.get("background")
    space = found.get("white-space", "")
    gap = _LENGTH.fullmatch(found.get("padding-left", "") or found.get("margin-left", ""))
    return Style(
        struck="line-through" in line,
        underlined="underline" in line,
        double="double" in line or "double" in found.get("border-bottom", ""),
        vanishes=display == "none"
        or bool(_ZERO.fullmatch(found.get("font-size", "1")))
        or bool(_ZERO.fullmatch(found.get("opacity", "1")))
        or (found.get("position") in {"absolute", "fixed"} and any(_FAR.fullmatch(found.get(k, "")) for k in ("left", "top")))
        or bool(_FAR.fullmatch(found.get("text-indent", ""))),
        visible=None if "visibility" not in found else found["visibility"] not in {"hidden", "collapse"},
        colour=_colour(colour) if colour else None,
        ground=_colour(ground.split()[0]) if ground and ground not in {"none", "transparent", "inherit"} else None,
        raised="super" in found.get("vertical-align", "")
        or (found.get("position") == "relative" and found.get("top", "").startswith("-")),
        before=_breaks(found.get("page-break-before", "") or found.get("break-before", "")),
        after=_breaks(found.get("page-break-after", "") or found.get("break-after", "")),
        pre=None if not space else space.startswith("pre") or space == "break-spaces",
        block={"block": True, "list-item": True, "inline": False}.get(display),
        inset=bool(gap) and float(gap[1]) * _POINTS[gap[2]] >= 3 if gap else False,
        width=found.get("width", ""),
    )


def _breaks(value: str) -> bool:
    return value in {"always", "page", "left", "right", "recto", "verso"}


def class_styles(sheet: str) -> dict[tuple[str, str], Style]:
    """Reads the rules of a style sheet whose selectors are a tag, a class, or both.

    Returns:
        Styles by (tag or empty, class or empty). Longer selectors are left out: they are rare in filings, and a rule read
        too widely would strike words that live.
    """
    texts: dict[tuple[str, str], dict[str, None]] = {}
    for selectors, body in _RULE.findall(_COMMENT.sub("", sheet)):
        for selector in selectors.split(","):
            found = _SELECTOR.fullmatch(selector.strip())
            if found and (found["tag"] or found["cls"]):
                key = ((found["tag"] or "").lower(), found["cls"] or "")
                texts.setdefault(key, {})[body] = None
    return {key: declarations(";".join(bodies)) for key, bodies in texts.items()}
