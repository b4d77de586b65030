"""From a matplotlib figure to SVG that a page with a strict content security policy can hold.

No style of its own is left in it: what a style would say stands in attributes, and the page's style sheet says which colour of the
page, light or dark, takes the place of each. There is no clock, no program's name and no random id in it: the same figure gives
the same bytes.
"""

from __future__ import annotations

import io
import re
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from conformed.app.pages.shown import quote

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["drawing", "svg_of", "word"]

_URL = re.compile(r"url\(#([^)]+)\)")
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FONT = frozenset({"font", "font-family", "font-style", "font-weight"})
_RC: dict[str, object] = {
    "svg.hashsalt": "conformed",
    "svg.fonttype": "none",
    "text.parse_math": False,  # text of a data set is text, whatever dollar signs it holds
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#55606f",
    "axes.labelcolor": "#1b2330",
    "text.color": "#1b2330",
    "xtick.color": "#55606f",
    "ytick.color": "#55606f",
    "xtick.labelcolor": "#1b2330",
    "ytick.labelcolor": "#1b2330",
    "grid.color": "#d5dae1",
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
}


@contextmanager
def drawing() -> Iterator[None]:
    """The settings under which figures are drawn: the library's own and ours, never those of the user's machine."""
    import matplotlib as mpl

    # A glyph that the measuring font lacks is drawn by the reader's own: nothing is lost, and nothing need be said.
    with warnings.catch_warnings(), mpl.rc_context():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        mpl.rcdefaults()
        mpl.rcParams.update(_RC)  # type: ignore[arg-type]
        yield


def word(text: str, longest: int = 28) -> str:
    """Text of a data set as a label: one short line without anything that a page or XML would obey."""
    return _NO_XML.sub("", quote(text, longest)) or "(none)"


def svg_of(figure: Figure, prefix: str, label: str) -> str:
    """The figure as an ``svg`` element for inside a page.

    Args:
        figure: the figure, drawn inside ``drawing``.
        prefix: makes its ids the page's only ones.
        label: what it shows, for those who do not see it.
    """
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    to = io.BytesIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    FigureCanvasSVG(figure).print_svg(to, metadata=nothing)  # type: ignore[no-untyped-call]
    root = ET.fromstring(to.getvalue())  # noqa: S314 - as above
    clean = _element(root, prefix)
    clean.attrib = {"viewBox": root.attrib["viewBox"], "role": "img", "aria-label": label, "class": "chart"}
    return ET.tostring(clean, encoding="unicode")


def _element(old: ET.Element, prefix: str) -> ET.Element:
    new = ET.Element(_bare(old.tag))
    for name, value in old.attrib.items():
        bare = _bare(name)
        if bare == "style":
            for part in filter(None, map(str.strip, value.split(";"))):
                key, _, said = part.partition(":")
                new.attrib.update(_attributes(key.strip(), said.strip(), prefix))
        elif bare == "id":
            new.set("id", f"{prefix}-{value}")
        elif bare == "href":
            new.set("href", f"#{prefix}-{value.removeprefix('#')}")
        else:
            new.set(bare, _URL.sub(rf"url(#{prefix}-\1)", value))
    new.text, new.tail = old.text, old.tail
    new.extend(_element(one, prefix) for one in old if _bare(one.tag) not in ("metadata", "style"))
    return new


def _attributes(key: str, said: str, prefix: str) -> dict[str, str]:
    """What one declaration of a style says, as attributes; fonts are the page's."""
    if key == "font" and (size := re.search(r"([0-9.]+)px", said)):
        return {"font-size": size[1]}
    if key == "font-size":
        return {"font-size": said.removesuffix("px")}
    return {} if key in _FONT else {key: _URL.sub(rf"url(#{prefix}-\1)", said)}


def _bare(name: str) -> str:
    return name.rpartition("}")[2]
