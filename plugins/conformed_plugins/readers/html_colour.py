"""Colours of a style in one way of writing, so that words can be held against what lies behind them."""

from __future__ import annotations

import colorsys
import re

__all__ = ["CLEAR", "colour_of", "near"]

CLEAR = "clear"
"""A colour of which nothing is seen."""
_FAINT = 0.05
_CLOSE = 40
"""Sum of colour differences (of 3 x 255) below which words cannot be told from what lies behind them."""
_NAMES = {
    "black": "#000000", "windowtext": "#000000", "auto": "#000000", "initial": "#000000", "white": "#ffffff", "window": "#ffffff",
    "red": "#ff0000", "blue": "#0000ff", "green": "#008000", "lime": "#00ff00", "yellow": "#ffff00", "gray": "#808080",
    "grey": "#808080", "silver": "#c0c0c0", "navy": "#000080", "maroon": "#800000", "purple": "#800080", "teal": "#008080",
    "aqua": "#00ffff", "cyan": "#00ffff", "fuchsia": "#ff00ff", "magenta": "#ff00ff", "olive": "#808000", "orange": "#ffa500",
    "snow": "#fffafa", "ivory": "#fffff0", "ghostwhite": "#f8f8ff", "whitesmoke": "#f5f5f5", "floralwhite": "#fffaf0",
    "mintcream": "#f5fffa", "azure": "#f0ffff", "seashell": "#fff5ee", "transparent": CLEAR,
}  # fmt: skip
_HEX = re.compile(r"#?([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})")
_CALL = re.compile(r"(rgba?|hsla?)\(([^()]*)\)")


def colour_of(value: str) -> str | None:
    """``#rrggbb``, ``clear``, or None for words that are no colour that is known here."""
    plain = value.strip().lower()
    if plain in _NAMES:
        return _NAMES[plain]
    digits = _HEX.fullmatch(plain) if plain.startswith("#") else None
    if digits:
        whole = digits[1] if len(digits[1]) > 4 else "".join(letter * 2 for letter in digits[1])
        return CLEAR if len(whole) == 8 and int(whole[6:], 16) < 255 * _FAINT else f"#{whole[:6]}"
    call = _CALL.fullmatch(plain)
    if call is None:
        return None
    try:
        parts = [
            _part(piece, whole=255 if call[1].startswith("rgb") and place < 3 else 1)
            for place, piece in enumerate(re.split(r"[\s,/]+", call[2].strip()))
        ]
    except ValueError:
        return None
    if len(parts) not in (3, 4):
        return None
    if len(parts) == 4 and parts[3] < _FAINT:
        return CLEAR
    if call[1].startswith("hsl"):
        parts[:3] = [255 * one for one in colorsys.hls_to_rgb(parts[0] % 360 / 360, parts[2], parts[1])]
    return "#" + "".join(f"{min(255, max(0, round(one))):02x}" for one in parts[:3])


def _part(piece: str, whole: int) -> float:
    piece = piece.removesuffix("deg")
    return float(piece[:-1]) * whole / 100 if piece.endswith("%") else float(piece)


def near(colour: str, ground: str) -> bool:
    """Whether words of a colour cannot be told from a ground; False where one of them is not known."""
    if CLEAR in (colour, ground):
        return colour == CLEAR
    pair = [_HEX.fullmatch(one) if one.startswith("#") else None for one in (colour, ground)]
    if not all(pair):
        return False
    first, second = ([int(one[at : at + 2], 16) for at in (1, 3, 5)] for one in (colour, ground))
    return sum(abs(a - b) for a, b in zip(first, second, strict=True)) <= _CLOSE
