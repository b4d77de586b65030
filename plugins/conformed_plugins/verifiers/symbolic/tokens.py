"""From text to tokens. Only what is listed here exists; any other character, command or word is refused by name of its kind."""

from __future__ import annotations

import re
from dataclasses import dataclass

from conformed_plugins.verifiers.symbolic.tree import RefusedError
from conformed_plugins.verifiers.symbolic.units import WORDS

__all__ = ["FUNCTIONS", "LONGEST", "Token", "tokenise"]

LONGEST = 1000
"""Most characters of an answer."""
_MOST_DIGITS = 300

_PLAIN = {
    "\u2212": "-", "\u00d7": " \\times ", "\u00b7": " \\cdot ", "\u22c5": " \\cdot ", "\u00f7": " \\div ", "\u2264": " \\le ",
    "\u2265": " \\ge ", "\u2260": " \\ne ", "\u03c0": " \\pi ", "\u221e": " \\infty ", "\u221a": " \\sqrt ", "\u00b1": " \\pm ",
    "\u2213": " \\mp ", "\u222a": " \\cup ", "\u00b0": " \\degree ", "\u00b2": "^{2}", "\u00b3": "^{3}", "\u2205": " \\emptyset ",
    "\u211d": " \\R ", "\u2208": " \\in ", "\u00a0": " ", "\u2009": " ", "\u202f": " ", "\u03b8": " \\theta ",
    "\u03b1": " \\alpha ", "\u03b2": " \\beta ", "\u03bb": " \\lambda ",
}  # fmt: skip
FUNCTIONS = {
    "sin": "sin", "cos": "cos", "tan": "tan", "cot": "cot", "sec": "sec", "csc": "csc", "arcsin": "asin", "arccos": "acos",
    "arctan": "atan", "asin": "asin", "acos": "acos", "atan": "atan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh",
    "exp": "exp", "ln": "ln", "log": "log", "abs": "abs", "sqrt": "sqrt",
}  # fmt: skip
"""Functions by the name under which they are written."""
_GREEK = frozenset(
    [
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "varepsilon",
        "zeta",
        "eta",
        "theta",
        "vartheta",
        "kappa",
        "lambda",
        "mu",
        "nu",
        "xi",
        "rho",
        "sigma",
        "tau",
        "phi",
        "varphi",
        "chi",
        "psi",
        "omega",
        "Gamma",
        "Delta",
        "Theta",
        "Lambda",
        "Xi",
        "Sigma",
        "Phi",
        "Psi",
        "Omega",
    ]
)
_SPACES = frozenset(
    {",", ";", ":", "!", " ", "quad", "qquad", "displaystyle", "textstyle", "left", "right", "big", "Big", "bigl", "bigr"}
)
_MARKS = {
    "cdot": "*", "times": "*", "ast": "*", "div": "/", "le": "<=", "leq": "<=", "leqslant": "<=", "ge": ">=", "geq": ">=",
    "geqslant": ">=", "ne": "!=", "neq": "!=", "lt": "<", "gt": ">", "pm": "pm", "mp": "mp", "cup": "cup", "in": "in", "{": "\\{",
    "}": "\\}", "lbrace": "\\{", "rbrace": "\\}", "%": "%", "$": "$", "degree": "deg", "circ": "deg", "lor": "or",
    "lvert": "lbar", "rvert": "rbar", "vert": "|", "emptyset": "empty", "varnothing": "empty", "R": "reals", "\\": "row",
}  # fmt: skip
_COMMANDS = frozenset({"frac", "sqrt", "binom", "infty", "pi"})
_TOKEN = re.compile(
    r"""(?P<number>(?:[1-9][0-9]{0,2}(?:(?:,|\{,\}|,\\!)[0-9]{3})+(?![0-9])|[0-9]+)(?:\.[0-9]*)?(?:\\overline\{[0-9]+\})?|\.[0-9]+(?:\\overline\{[0-9]+\})?)
    |\\left(?P<lbar>\|)|\\right(?P<rbar>\|)
    |\\(?:text|mathrm|textrm|operatorname)\{(?P<said>[A-Za-z0-9 /^*.%$\\{}-]*?)\}
    |\\mathbb\{(?P<board>[A-Z])\}
    |\\(?P<edge>begin|end)\{(?P<matrix>[a-z]+)\}
    |\\[dt]?(?P<fraction>frac)(?![A-Za-z])
    |\\(?P<command>[A-Za-z]+|[,;:! {}%$\\])
    |(?P<word>[A-Za-z]+)
    |(?P<mark>\*\*|<=|>=|!=|[-+*/^_=<>()\[\]{}|!,%&])
    |(?P<space>[ \t\r\n~]+)""",
    re.VERBOSE,
)
_NOTATION = re.compile(r"[0-9.][eE][+-]?[0-9]|\.\.|[0-9] *,\\?,|(?<![\\])\$")


@dataclass(frozen=True, slots=True)
class Token:
    """One token.

    Attributes:
        kind: number, name, const, function, command, unit, said, edge or mark.
        text: what it is.
        spaced: whether white space stands before it.
        grouped: for a number: whether a bare comma stands between groups of its digits.
    """

    kind: str
    text: str
    spaced: bool = False
    grouped: bool = False


def tokenise(text: str) -> list[Token]:
    """The tokens of an answer.

    Raises:
        RefusedError: where it is too long, or holds a character, command, word or notation that is not read.
    """
    if len(text) > LONGEST:
        raise RefusedError("too_long")
    text = _bare("".join(_PLAIN.get(mark, mark) for mark in text))
    if not text.isascii():
        raise RefusedError("character")
    if not text:
        raise RefusedError("empty")
    if _NOTATION.search(text):
        raise RefusedError("notation")
    found: list[Token] = []
    at, spaced = 0, False
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise RefusedError("character")
        at = match.end()
        kind = match.lastgroup or ""
        if kind == "space" or (kind == "command" and match["command"] in _SPACES):
            spaced = True
            continue
        found.extend(
            _read(
                match, kind, text[at : at + 1], spaced=spaced, after_number=bool(found) and found[-1].kind in ("number", "unit")
            )
        )
        spaced = False
    return found


def _bare(text: str) -> str:
    """The text without the marks that only say that it is a formula."""
    text = text.strip()
    for left, right in (("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]")):
        inner = text[len(left) : len(text) - len(right)]
        if text.startswith(left) and text.endswith(right) and len(text) > len(left + right) and not text.endswith("\\$"):
            if left not in inner:
                return inner.strip()
            raise RefusedError("notation")
    return text


def _read(match: re.Match[str], kind: str, following: str, *, spaced: bool, after_number: bool) -> list[Token]:
    text = match[kind]
    if kind == "number":
        if sum(mark.isdigit() for mark in text) > _MOST_DIGITS:
            raise RefusedError("number_too_long")
        if (text.endswith(".") and following.isalnum()) or (
            text[0] == "0" and text[1:2].isdigit()
        ):  # 2026-06-30 is no difference
            raise RefusedError("notation")
        grouped = "," in text.replace("{,}", "").replace(",\\!", "")
        return [Token("number", text.replace("{,}", "").replace(",\\!", "").replace(",", ""), spaced, grouped)]
    if kind in ("lbar", "rbar"):
        return [Token("mark", kind, spaced)]
    if kind == "said":
        said = " ".join(text.split())
        if said in ("or", "and"):
            return [Token("mark", said, spaced)]
        return [Token("said", said, spaced)]
    if kind == "board":
        if text != "R":
            raise RefusedError("command")
        return [Token("mark", "reals", spaced)]
    if kind in ("edge", "matrix"):
        if match["matrix"] not in ("pmatrix", "bmatrix", "matrix"):
            raise RefusedError("command")
        return [Token("edge", match["edge"], spaced)]
    if kind == "fraction":
        return [Token("command", "frac", spaced)]
    if kind == "command":
        return [_command(text, spaced=spaced)]
    if kind == "word":
        return _word(text, following, spaced=spaced, after_number=after_number)
    return [Token("mark", "^" if text == "**" else text, spaced)]


def _command(text: str, *, spaced: bool) -> Token:
    if text in _MARKS:
        return Token("mark", _MARKS[text], spaced)
    if text in _GREEK:
        return Token("name", text, spaced)
    if text in FUNCTIONS and text != "sqrt":
        return Token("function", FUNCTIONS[text], spaced)
    if text in _COMMANDS:
        return Token("command", text, spaced)
    raise RefusedError("command")


def _word(text: str, following: str, *, spaced: bool, after_number: bool) -> list[Token]:
    """A function, a unit behind a number, or up to three letters multiplied.

    Letters that are written together are a product only in the order of the alphabet, so that no two words with the same
    letters can ever be taken for one value.
    """
    if text in ("or", "and"):
        return [Token("mark", text, spaced)]
    if text == "pi":
        return [Token("command", "pi", spaced)]
    if text in ("infinity", "oo"):
        return [Token("command", "infty", spaced)]
    if text == "sqrt":
        return [Token("command", "sqrt", spaced)]
    if text in FUNCTIONS:
        return [Token("function", FUNCTIONS[text], spaced)]
    if text in ("degrees", "degree"):
        return [Token("mark", "deg", spaced)]
    if text in ("percent",) or (text in WORDS and after_number):
        return [Token("unit", text, spaced)]
    folded = text.casefold()
    powered = len(text) == 2 and text[1] == "e" and following == "^"
    if len(text) > 3 or (list(folded) != sorted(folded) and not powered) or "o" in folded:
        raise RefusedError("word")
    return [Token("name", letter, spaced and not at) for at, letter in enumerate(text)]
