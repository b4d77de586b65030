"""What the words around an instruction say of it: that it is only asked for, that new words come in place of old ones, whose definition it is."""

from __future__ import annotations

import re
from dataclasses import replace

from conformed_plugins.extractors.instructions import Instruction

__all__ = ["of_definition", "puts_in_place", "undone"]

_IN_PLACE = re.compile(
    r"restat|(?:delet|strik|replac|remov)\w*\b(?:[^.;]|\.\d){0,90}\bentiret|\b(?:delet|strik|replac|remov)\w*\b(?:[^.;]|\.\d){0,200}\b(?:in\s+(?:its|their)\s+(?:place|stead)|in\s+(?:lieu|place|substitution)\s+(?:thereof|of\s+it)|therefor)\b",
    re.IGNORECASE,
)
_OF_DEFINITION = re.compile(
    r"\b(?:adding|inserting|added|inserted)\s+(?:to|in|into|at\s+the\s+end\s+of)\s+the\s+definition\s+of\s+(?:the\s+(?:defined\s+)?term\s+)?\"(?P<term>[^\"]{2,90})\"",
    re.IGNORECASE,
)
_TERM_IN = re.compile(
    r"\b(?:defined\s+term|term|definition\s+of(?:\s+the\s+(?:defined\s+)?term)?)\s+\"(?P<term>[^\"]{2,90})\"\s*,?\s*(?:as\s+)?(?:defined|contained|set\s+forth|set\s+out|appearing)?\s*(?:in|under)\s+$",
    re.IGNORECASE,
)
_PROPOSED = re.compile(
    r"\b(?:propos\w+|request\w*|declin\w+|refus\w+|reject\w*|negotiat\w+|contemplat\w+|nothing|neither|intend\w*|discuss\w*)\b[^.;]*$",
    re.IGNORECASE,
)
_AGREED = re.compile(r"(?<!to\s)(?<!not\s)(?<!may\s)\b(?:agrees?|agreed|consents?|consented|hereby)\b", re.IGNORECASE)
"""Whether what was asked for is also granted in the sentence."""


def undone(found: Instruction) -> bool:
    """Whether an instruction is denied, only allowed, or asked for without being granted in its sentence."""
    return found.denied or (_PROPOSED.search(found.lead) is not None and _AGREED.search(found.lead) is None)


def of_definition(found: Instruction) -> Instruction:
    """The instruction as one on a definition, where a section only says where that stands ("Section 1.01 is amended by adding to ...")."""
    inner = None if found.term else _OF_DEFINITION.search(found.how) or _TERM_IN.search(found.lead)
    return replace(found, term=" ".join(inner["term"].split()), section="") if inner is not None else found


def puts_in_place(found: Instruction, how: str) -> bool:
    """Whether new words take the place of a provision that is there, so that nothing is added beside it."""
    return _IN_PLACE.search(f"{found.lead} {how}") is not None
