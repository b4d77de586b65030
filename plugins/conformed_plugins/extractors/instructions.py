"""Finds amending instructions: which provision, what is done to it, and the new text.

An instruction is a reference to a provision followed in the same sentence by an amending verb. Its payload is what
follows "to read as follows:" and the like, up to the closing quotation mark or the next instruction.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from conformed.language.names import ORDINAL
from conformed_plugins.extractors.quotes import closing

__all__ = ["Instruction", "find_instructions"]

_NUM = r"\d{1,2}(?:\.\d{1,3})*[A-Z]?(?:\s*\((?:[A-Za-z]{1,4}|\d{1,2})\))*"
_REF = re.compile(
    rf"(?:\b(?:[Ss]ections?|SECTIONS?|[Ss]ub-?[Ss]ections?|SUBSECTIONS?|[Cc]lauses?|CLAUSES?|[Pp]aragraphs?|ss\.)|§§?)\s*(?P<num>{_NUM})(?P<more>(?:\s*(?:,|and|,\s*and|through|to|-)\s*{_NUM})*)"
    r"(?:\s*\(\s*\"?(?P<caption>[A-Z][^()\"]{2,90})\"?\s*\)|,?\s*(?:entitled|captioned|headed)\s*\"(?P<titled>[^\"]{2,90})\"\s*,?)?",
)
_DEFINITION = re.compile(r"\bdefinitions?\s+of\s+(?:the\s+(?:defined\s+)?terms?\s+)?\"(?P<term>[^\"]{2,90})\"", re.IGNORECASE)
_VERB = re.compile(
    r"\b(?:amended\s+and\s+restated|amended|restated|deleted|replaced|modified|supplemented|substituted|changed|removed|inserted|added|"
    r"shall\s+be\s+read\s+as|is\s+read\s+as|be\s+read\s+as|becomes?|shall\s+(?:now\s+)?be\s+(?=\d)|takes\s+its\s+place|reset\s+at|increased\s+to|reduced\s+to|adding|inserting|deleting|replacing|substituting)\b",
    re.IGNORECASE,
)
_TAKING_OUT = re.compile(
    r"\b(?:deleting|removing|deletion\s+of)\s+(?:therefrom\s+)?(?:the\s+(?:text|provisions|whole)\s+of\s+)?$", re.IGNORECASE
)
_ENTIRETY = re.compile(
    r"(?:\s*\([A-Z][^)]{2,80}\))?\s*(?:thereof|therefrom|of\s+the\s+(?:\w+\s+){0,3}Agreement)?\s*(?=in\s+(?:its|their)\s+entiret)"
)
_OTHER_PAPER = re.compile(
    r"\s*(?:\([^)]{3,90}\)\s*)?(?:of|to|in|under)\s+(?:the|that\s+certain|each)\s+(?:(?:[A-Z][\w&'-]*|of|and)\s+){0,5}?(?:Note\s+Purchase|Note|Indenture|Intercreditor|Guarant(?:y|ee)|Security|Pledge|Fee|Lease|Mortgage|Subordination|Collateral|Purchase|Merger|Receivables)\b(?:\s+(?:and\s+)?[A-Z][\w-]*){0,3}?\s*(?:Agreement|Letter|Deed)?(?=[\s,.(])",
)
_PAST = re.compile(
    r"\b(?:as|been|heretofore|previously|hereafter|from\s+time\s+to\s+time|not)\s+(?:so\s+|hereby\s+|further\s+)?(?:(?:amended|restated|supplemented|modified)\s*,?\s*(?:and|or)?\s*(?:otherwise\s+)?)*$",
    re.IGNORECASE,
)
_JOINED = re.compile(r"\b(?:and|or)\s+(?:be\s+)?$", re.IGNORECASE)
_SO_THAT = re.compile(r"\b(?:so\s+that|such\s+that|so\s+as\s+to|to\s+provide\s+that|whereby)\b", re.IGNORECASE)
_NOT_DONE = re.compile(
    r"\b(?:(?:is|are|was|were|has|have|do|does|shall|will|may|must|would)\s+(?:not|never)\s+(?:hereby\s+|be\s+|been\s+)*|(?:may|might|would|could)\s+(?:\w+\s+)?be\s+)$",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"\b(?:(?:was|were|had\s+been|(?<!to\s)(?:has|have)\s+been)\s+(?:\w+ly\s+|so\s+|further\s+)?|(?:is|are|was|were|has|have|had|do|does|did|shall|will|may|must|would|could|should)\s+(?:not|never)\s+(?:hereby\s+|thereby\s+|be\s+|been\s+|being\s+)*|(?:may|might|would|could)\s+(?:\w+\s+)?be\s+)$",
    re.IGNORECASE,
)
_PART_OF = re.compile(
    r"\b(?:(?:sub-?)?(?:section|clause|paragraph)s?)\s*(?P<part>(?:\([A-Za-z0-9]{1,4}\)\s*)+)(?:\([^)]{3,60}\)\s*)?(?:of|in|under|to)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_LEAD_STOP = re.compile(r"(?<=[A-Za-z0-9)\"])(?<!\b[Nn]o)(?<!\bInc)(?<!\bU\.S)[.;:]\s+|\n[ \t]*\n")
_BREAK = re.compile(
    r"(?<=[A-Za-z0-9)\]\"])(?<!\bU\.S)(?<!\b[Nn]o)(?<!\bInc)\.\s+(?=[A-Z\"(])|(?<=[a-z0-9\"])\.[ \t]*\n\s*(?=\(?[a-z0-9]{1,3}[.)]\s)|\n[ \t]*\n[ \t]*\n"
)
_OPEN = re.compile(
    r"(?:to\s+read(?:\s+in\s+its\s+entirety|\s+in\s+full)?(?:\s+as\s+follows)?|as\s+follows|(?:with|by)\s+the\s+following[^:.\"]{0,120}|(?:the\s+)?following(?:\s+(?:new\s+)?\w+){0,8}|"
    r"therefore?|in\s+(?:its|their)\s+place|at\s+the\s+end\s+thereof|thereto|thereof)\s*(?::|(?=\s*\"))\s*|set\s+forth\s+below\s*[:.]\s*",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(
    r"(?<=[a-z0-9\"])(?<!\b[Nn]o)\.[ \t]*\n\s*(?=\(?[a-z0-9]{1,3}[.)]\s)|(?<=[a-z\"])(?<!\b[Nn]o)\.\s+(?=[A-Z])"
)
_OWN_HEAD = re.compile(
    r"\n[ \t]*(?:(?:SECTION|Section|ARTICLE|Article)\s+(?:\d{1,2}|[IVX]+)\.?[ \t]+(?=[A-Z])|\d{1,2}\.[ \t]+(?=[A-Z])|IN\s+WITNESS\s+WHEREOF)"
)


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction; offsets are of the view's text.

    Attributes:
        start: first offset of the reference.
        end: end of the instruction with its payload.
        section: provision in normal form; empty for a definition.
        more: further provisions named with it.
        caption: caption that the instruction quotes.
        term: defined term.
        how: the words from the reference to the payload.
        how_end: end of those words.
        payload: stretch of the new text; empty where there is none.
        lead: words of the sentence before the reference.
        around: the words that say which part of the provision is meant: before the reference and after it.
        quoted: whether the payload stands in quotation marks.
        denied: whether the sentence denies, or only allows, something before it does what the instruction says.
    """

    start: int
    end: int
    section: str
    more: tuple[str, ...]
    caption: str
    term: str
    how: str
    how_end: int
    payload: tuple[int, int]
    quoted: bool
    lead: str = ""
    around: str = ""
    denied: bool = False


def _normal(number: str) -> str:
    return re.sub(r"\s+", "", number).rstrip(".,;")


def _more(first: str, words: str) -> tuple[str, ...]:
    """Further provisions named with the first: a list, or a range that is told in full."""
    numbers = [_normal(n) for n in re.findall(_NUM, words)]
    ends = re.fullmatch(r"\s*(?:through|to|-)\s*(\d+)\.(\d+)", words)
    start = re.fullmatch(r"(\d+)\.(\d+)", first)
    if ends and start and ends[1] == start[1] and int(start[2]) < int(ends[2]) < int(start[2]) + 40:
        width = len(start[2])
        numbers = [
            f"{start[1]}.{str(n).zfill(width) if start[2].startswith('0') else n}"
            for n in range(int(start[2]) + 1, int(ends[2]) + 1)
        ]
    return tuple(numbers)


def _references(text: str) -> list[tuple[int, int, re.Match[str], bool]]:
    found = [(m.start(), m.end(), m, False) for m in _REF.finditer(text)]
    found += [(m.start(), m.end(), m, True) for m in _DEFINITION.finditer(text)]
    return sorted(found, key=lambda f: f[0])


def find_instructions(text: str) -> list[Instruction]:
    """All instructions of a text, in order. Text inside a payload gives none."""
    heads: list[tuple[int, int, re.Match[str], bool, int]] = []
    for start, end, match, is_definition in _references(text):
        stop = _BREAK.search(text, end, min(len(text), end + 420))
        limit = stop.start() + 1 if stop else min(len(text), end + 420)
        verb = _operative(text, end, limit)
        if verb is None:
            verb = _ENTIRETY.match(text, end, limit) if _TAKING_OUT.search(text[max(0, start - 40) : start]) else None
        if verb is None or _elsewhere(text, end):
            continue
        if _inside_other(text, end, verb.start()):
            continue
        heads.append((start, end, match, is_definition, verb.start()))
    result: list[Instruction] = []
    for position, (start, end, match, is_definition, verb_at) in enumerate(heads):
        if result and start < result[-1].end:
            continue
        following = next((h[0] for h in heads[position + 1 :] if h[0] > verb_at and _starts_item(text, h[0])), len(text))
        result.append(_one(text, start, end, match, is_definition, verb_at, following))
    return result


def _operative(text: str, end: int, limit: int) -> re.Match[str] | None:
    """The first verb that does something: what is told as past, denied or only allowed does nothing, nor what hangs on it."""
    told = -1
    for verb in _VERB.finditer(text, end, limit):
        before = text[max(0, verb.start() - 60) : verb.start()]
        if _TOLD.search(before):
            told = verb.end()
        elif not _PAST.search(before):
            hangs = told >= 0 and (
                verb[0].lower().endswith("ing") or _JOINED.search(before) or _SO_THAT.search(text, told, verb.start())
            )
            if not hangs:
                return verb
    return None


def _denied(text: str, end: int, verb: int) -> bool:
    """Whether something is denied, or only allowed, before the verb of its sentence."""
    return any(_NOT_DONE.search(text[max(0, v.start() - 60) : v.start()]) for v in _VERB.finditer(text, end, verb))


def _elsewhere(text: str, end: int) -> bool:
    """Whether a reference is to a paper of another kind ("Section 5 of the Note Purchase Agreement")."""
    return _OTHER_PAPER.match(text, end, min(len(text), end + 160)) is not None


def _inside_other(text: str, end: int, verb: int) -> bool:
    """Whether the words between reference and verb show that the verb is another thing's ("Section 5 of this Amendment has been added")."""
    between = text[end:verb]
    parted = re.search(r"(?<=[A-Za-z0-9)\"]);\s", between)
    if parted is not None and _REF.search(between, parted.end()) is not None:
        return True  # "Section 6.12 remains; Section 6.14 is deleted": the verb is the other section's
    if re.search(
        r"\b(?:hereof|herein|hereunder|below)\b|\b(?:the\s+)?(?:Existing\s+)?(?:\w+\s+)?Agreement\s+(?:is|are|shall)\b.*\Z",
        between,
    ) and re.search(r"\bhereof\b|,\s*the\s+(?:\w+\s+){0,3}Agreement\b|\bbelow\b", between):
        return True
    return (
        bool(re.search(rf"\bof\s+(?:this|the)\s+(?!(?i:{ORDINAL})\s)(?:\w+\s+)?(?:Amendment|Waiver|Letter)\b", between))
        or between.count('"') >= 3
        or "\n\n\n" in between
    )


def _starts_item(text: str, at: int) -> bool:
    """Whether a reference opens an item of the instrument: at a line's start, or after an item mark or a caption."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return re.fullmatch(
        r"\s*(?:\(?[A-Za-z0-9]{1,4}[.)]\s*){0,2}(?:[Ii]n\s+)?(?:(?:[A-Z][\w ,/&'()-]{1,90}\.\s+)?(?:(?:The|An?)\s+)?(?:following\s+)?(?:[Nn]ew\s+)?(?:definition\s+of\s+|definitions\s+of\s+)?(?:the\s+\w+\s+(?:in|of)\s+)?)?",
        line,
    ) is not None or line.rstrip().endswith((".", ";", ":"))


def _one(text: str, start: int, end: int, match: re.Match[str], is_definition: bool, verb_at: int, following: int) -> Instruction:  # noqa: FBT001
    line = text.rfind("\n", 0, start) + 1
    item = re.match(r"\s*(?:\(?[A-Za-z0-9]{1,4}[.)]\s*){1,2}", text[line:start])
    begin = line if (item and start - line < 500) or not text[line:start].strip() else start
    stop = following
    if following < len(text):
        stop = text.rfind("\n", 0, following) + 1 or following
        stop = stop if stop > verb_at else following
    ended = _SENTENCE_END.search(text, verb_at, stop)
    opened = _OPEN.search(text, verb_at, min(stop, verb_at + 700, ended.end() if ended else stop))
    colon = text.find(":", verb_at, min(stop, verb_at + 420, ended.end() if ended else stop))
    if opened is None and colon > 0 and re.match(r"\s*[\"\n]", text[colon + 1 : colon + 3]):
        body = colon + 1
    elif opened is not None:
        body = opened.end()
    else:
        body = -1
    if body < 0:
        sentence = _BREAK.search(text, verb_at, stop)
        close = min(stop, sentence.start() + 1 if sentence else stop, verb_at + 900)
        payload, quoted, how_end = (0, 0), False, close
    else:
        how_end = body
        payload, quoted = _payload(text, body, stop)
        close = payload[1]
    lead = _lead(text, begin) if begin == start else text[begin:start]
    part = None if is_definition else _PART_OF.search(lead)
    around = (lead[: part.start()] if part else lead) + " " + text[end:how_end]
    inner = re.sub(r"\s+", "", part["part"]) if part else ""
    groups = match.groupdict()
    more = () if is_definition else _more(_normal(match["num"]), groups.get("more") or "")
    return Instruction(
        begin, max(close, how_end), "" if is_definition else _normal(match["num"]) + inner, more,
        " ".join((groups.get("caption") or groups.get("titled") or "").split()), " ".join(match["term"].split()) if is_definition else "",
        text[begin:how_end], how_end, payload, quoted, lead, around, _denied(text, end, verb_at),
    )  # fmt: skip


def _lead(text: str, at: int) -> str:
    low = max(0, at - 500)
    found = low
    for m in _LEAD_STOP.finditer(text, low, at):
        found = m.end()
    return text[found:at]


_TERM_FIRST = re.compile(r"\"[^\"\n]{2,90}\"\s*(?:\([^)]*\)\s*)?(?:shall\s+)?(?:means?|ha(?:s|ve)\s+the\s+meaning|is\b|refers)")


def _payload(text: str, body: int, stop: int) -> tuple[tuple[int, int], bool]:
    while body < stop and (text[body].isspace() or text[body] == "`"):
        body += 1
    head = _OWN_HEAD.search(text, body + 1, stop)
    limit = head.start() if head else stop
    if text[body : body + 1] == '"' and not _TERM_FIRST.match(text, body):
        end = closing(text, body + 1, stop)
        return (body + 1, end if end > 0 else limit), True
    mark = re.compile(r"(?:<[^>\n]{1,12}>|\s)*\"").match(text, body, limit)
    if mark is not None and not _TERM_FIRST.match(text, mark.end() - 1):
        end = closing(text, mark.end(), stop)
        if end > 0:
            return (mark.end(), end), True
    return (body, limit), False
