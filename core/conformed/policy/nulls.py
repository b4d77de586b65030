"""Files of rule cases may say ``null``: there it is an answer ("no level is established"), and never a slip of the pen.

Contracts refuse the word, because programs disagree on what it means. Here every plain ``null`` is found by the scanner
and marked, with as many characters as it had, so that lines and columns of every later refusal stay those of the file.
"""

from __future__ import annotations

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.tokens import ScalarToken

from conformed.errors import PolicyError

__all__ = ["NOTHING", "mark_nulls"]

NOTHING = "\ue000\ue000\ue000\ue000"
"""What stands for a plain ``null``: four characters of the private use area, which no text of a case may hold."""


def mark_nulls(data: bytes, *, name: str) -> bytes:
    """The same file with every plain ``null`` marked. A file that cannot be scanned is given back as it is, to be refused.

    Args:
        data: the exact bytes.
        name: how the file is called in messages.

    Raises:
        PolicyError: when the file itself holds the mark.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return data
    at = text.find(NOTHING[0])
    if at >= 0:
        line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
        raise PolicyError("a character of the private use area stands here.", "Delete it.", file=name, line=line, column=column)
    if "null" not in text:
        return data
    try:
        tokens = list(YAML(typ="safe", pure=True).scan(text))
    except (YAMLError, ValueError, RecursionError, AttributeError, AssertionError, IndexError, TypeError):
        return data  # the loader refuses it, with its place
    places = [t.start_mark.index for t in tokens if isinstance(t, ScalarToken) and t.plain and t.value == "null"]
    for place in reversed(places):
        text = text[:place] + NOTHING + text[place + len(NOTHING) :]
    return text.encode("utf-8")
