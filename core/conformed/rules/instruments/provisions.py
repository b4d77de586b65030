"""Builds the tree of numbered provisions and defined terms of a document.

US and UK numbering, several to a line, exhibits, [Reserved], tables of contents: a number is a heading only where the
words around it say so, and the longest of several with the same number is the provision, the others being its entries
in a table of contents.
"""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass

from conformed.language.boxes import BOX, BOX_MARKS
from conformed.language.captions import read_caption
from conformed.language.traced import Traced
from conformed.model.provision import Provision, ProvisionTree

__all__ = ["build_tree", "canonical_label"]

_SIGNED = re.compile(r"^[ \t]*IN\s+WITNESS\s+WHEREOF\b", re.MULTILINE)

_NOT_HEADING = (
    r"(?!\s*(?:of|is|shall|hereof|hereto|and|or|to|through|as|in|hereunder|thereof|above|below|has|are|will|may|for|with|by|was|been|not|"
    r"until|per|on|at|from|that|which|hereby|below|entitled|\))\b)(?!\s*[,;)])"
)
_ARTICLE = re.compile(r"^[ \t]*+(?:ARTICLE|Article|PART)\s+([IVXLC]+|\d{1,2})\b[ \t.:\-]*", re.MULTILINE)
_SECTION = re.compile(
    (
        rf"(?:^|(?<=\n))[ \t]*+[\"'*#]{{0,4}}[ \t]*+(?:{BOX}[ \t]*)?"
        r"(?:(?P<word>SECTION|Section|Sec\.|ss\.|Clause|"
        r"CLAUSE)\s*)?(?P<number>(?!\d\.0+\b(?!\s*\w))\d{1,2}(?:\.\d{1,3}){1,3}(?:[A-Z](?![A-Za-z]))?)"
        r"\.?(?=[\s(\[\"'A-Z])"
    )
    + _NOT_HEADING
    + rf"(?=\s*(?:[\"'\[(A-Z\u00c0-\u00de{BOX_MARKS}]|$))",
)
_WRAPPED = re.compile(
    r"[^\s(]\s[ \t(]*(?:[Ss]ub-?)?(?:[Ss]ections?|[Cc]lauses?|[Pp]aragraphs?)[ \t]*\n[ \t]*$",
)
"""Before a number at a line's start: a sentence names a provision, and the line was broken before its number."""
_REFERRED = re.compile(
    r"(?:\s*\(\w{1,4}\))+\s*(?:hereof|hereto|hereunder|thereof|above|below|(?:and|or)\s+\(\w{1,4}\)|of\s+(?:this|the|such)\b)",
)
"""After a number: what only a reference to a part of a provision goes on with."""
_WHOLE = re.compile(
    (
        r"^[ \t]*+[\"']?[ \t]*+(?:(?:SECTION|Section|Clause|CLAUSE)\s+)?(?P<number>\d{1,2})\.?(?=[ \t\n]+[A-Z\"'\[])"
        r"(?:(?<=\.)|(?<=\d))"
    ),
    re.MULTILINE,
)
_LETTER = re.compile(
    rf"^[ \t]*+[\"']?(?:{BOX}\s*)?"
    r"(?:\((?P<paren>[a-z]{1,4}|[A-Z]{1,3}|\d{1,2})\)|(?P<dot>[A-Za-z])\.)(?=[ \t\n]*\S)",
    re.MULTILINE,
)
_TERM = re.compile(
    r"(?:^|(?<=\n)|(?<=[.;:]\s)|(?<=[.;:]\s\s))[ \t]*\"\s*(?P<term>[A-Z0-9][^\"\n]{0,90}(?:\n[^\"\n]{0,60})?)\s*\"\s*(?:\([^)\n]{0,60}\)\s*)?"
    r"(?:(?:shall\s+)?means?\b|(?:shall\s+)?(?:have|has)\s+the\s+(?:respective\s+)?meanings?\b|is\s+defined\b|refers\s+to\b|:|-\s|(?=,?\s*(?:at|for|as|with\s+respect|when\s+used|in\s+relation)\b[^.\n]{0,120}?\b(?:shall\s+)?means?\b))",
)
_SCHEDULE = re.compile(
    (
        r"^[ \t]*+(?:SCHEDULE|Schedule|EXHIBIT|Exhibit|ANNEX|Annex|APPENDIX|Appendix)\s+[A-Z0-9][\w.\-]{0,8}[ \t]*+(?:$|"
        r"[-:.\u2013][ \t]*+[A-Z][^\n]{0,70}$|[A-Z][A-Z \t,&'-]{3,70}$)"
    ),
    re.MULTILINE,
)
_ROMAN = re.compile(r"[ivxl]+")


@dataclass(slots=True)
class _Mark:
    start: int
    body: int
    label: str
    kind: str
    heading: str = ""


def canonical_label(text: str) -> str:
    """Normal form of a provision number: no word, no blanks, ``7.11(a)(i)``; ``§``, ``Section`` and the like dropped."""
    text = re.sub(
        r"^(?:sub-?)?(?:section|sections|clause|clauses|paragraph|article|sec\.|ss\.|\u00a7+)\s*",
        "",
        text.strip(),
        flags=re.IGNORECASE,
    )
    return re.sub(r"\s+", "", text).rstrip(".,;:")


def _marks(text: str) -> list[_Mark]:
    marks = [_Mark(m.start(), m.end(), f"ARTICLE {m[1]}", "article") for m in _ARTICLE.finditer(text)]
    for m in _SECTION.finditer(text):
        start = m.start() + (len(m[0]) - len(m[0].lstrip()))
        wrapped = not m["word"] and _WRAPPED.search(text, max(0, start - 40), start)
        if wrapped or _REFERRED.match(text, m.end("number")):
            continue
        marks.append(_Mark(start, m.end(), m["number"].rstrip("."), "section"))
    taken = {m.start for m in marks}
    marks.extend(
        _Mark(m.start("number"), m.end(), m["number"], "item")
        for m in _WHOLE.finditer(text)
        if m.start("number") not in taken and not re.match(r"\d", text[m.end() : m.end() + 1])
    )
    for m in _LETTER.finditer(text):
        letter = m["paren"]
        start = m.start() + (len(m[0]) - len(m[0].lstrip()))
        marks.append(_Mark(start, m.end(), f"({letter})" if letter else m["dot"], "clause"))
    marks.extend(_first_on_heading_line(marks, text))
    marks.extend(_Mark(m.start("term") - 1, m.end(), "", "definition", " ".join(m["term"].split())) for m in _TERM.finditer(text))
    marks.extend(
        _Mark(m.start() + (len(m[0]) - len(m[0].lstrip())), m.end(), " ".join(m[0].split()), "schedule")
        for m in _SCHEDULE.finditer(text)
    )
    marks.sort(key=lambda m: (m.start, m.kind))
    return marks


_FIRST = re.compile(r"[ \t]*\((?P<label>a|i|1)\)(?=[ \t]+\S)")
_SECOND = {"a": "(b)", "i": "(ii)", "1": "(2)"}


def _first_on_heading_line(marks: list[_Mark], text: str) -> list[_Mark]:
    """A first clause that stands on its section's own line ("7.11 Covenants. (a) Ratio. ..."), where a second one follows on a line."""
    sections = sorted((m for m in marks if m.kind == "section"), key=lambda m: m.start)
    letters = sorted((m.start, m.label) for m in marks if m.kind == "clause")
    found = []
    for i, section in enumerate(sections):
        caption, body = read_caption(text, section.body)
        first = _FIRST.match(text, body) or (_FIRST.match(text, section.body) if not caption else None)
        if first is None:
            continue
        stop = sections[i + 1].start if i + 1 < len(sections) else len(text)
        at = first.start("label") - 1
        inside = (
            [label for start, label in letters[bisect.bisect_left(letters, (at, "")) :] if start < stop][:60] if letters else []
        )
        if _SECOND[first["label"]] in inside and not any(start == at for start, _ in letters):
            found.append(_Mark(at, first.end(), f"({first['label']})", "clause"))
    return found


def _real_schedules(marks: list[_Mark], text: str) -> list[_Mark]:
    """Leaves out lines that only name an exhibit: behind a real one the agreement's own numbering does not go on."""

    def value(mark: _Mark) -> tuple[int, ...]:
        return tuple(int(re.sub(r"\D", "", part) or 0) for part in mark.label.split("."))

    numbers = [value(m) if m.kind == "section" else () for m in marks]
    highest_after: list[tuple[int, ...]] = [()] * (len(marks) + 1)
    for i in range(len(marks) - 1, -1, -1):
        highest_after[i] = max(highest_after[i + 1], numbers[i])
    signed = re.search(r"\bIN\s+WITNESS\s+WHEREOF\b", text)
    behind = signed.start() if signed else len(text) * 3 // 10
    kept: list[_Mark] = []
    highest: tuple[int, ...] = ()
    for i, mark in enumerate(marks):
        highest = max(highest, numbers[i])
        if mark.kind == "schedule" and (highest_after[i] > highest or mark.start < behind):
            continue
        kept.append(mark)
    return kept


def _drop_contents(marks: list[_Mark], text: str) -> list[_Mark]:
    """Leaves out the entries of a table of contents: short, without a body, and repeated later with one."""
    by_label: dict[str, list[int]] = {}
    numbered = [m for m in marks if m.kind in {"section", "article"}]
    lengths = {id(m): (numbered[i + 1].start if i + 1 < len(numbered) else len(text)) - m.start for i, m in enumerate(numbered)}
    for m in numbered:
        by_label.setdefault(m.label, []).append(lengths[id(m)])
    longest_of = {label: max(found) for label, found in by_label.items()}
    drop: set[int] = set()
    for m in numbered:
        longest = longest_of[m.label]
        tail = text[m.body : m.body + 200].split("\n")[0]
        entry = bool(re.search(r"(?:\.{3,}|\s{2,}|\t)\s*\d{1,3}\s*$", tail)) or lengths[id(m)] < 160
        if len(by_label[m.label]) > 1 and entry and lengths[id(m)] < longest:
            drop.add(id(m))
    return [m for m in marks if id(m) not in drop]


def _level(label: str, stack: list[tuple[int, str, int]], section_depth: int) -> int:
    """Depth of a letter under a section: (a) before (i) before (A); an (i) after an (h) is a letter."""
    inner = label.strip("()")
    open_letters = [s for s in stack if s[2] > section_depth]
    if len(inner) == 1 and not label.startswith("("):
        return section_depth + 1
    if inner.isdigit():
        style = 3
    elif inner.isupper():
        style = 4
    elif _ROMAN.fullmatch(inner) and inner not in {"c", "d", "l", "m"}:
        previous = next((s[1].strip("()") for s in reversed(open_letters) if s[2] == section_depth + 1), "")
        follows = len(inner) == 1 and previous and chr(ord(previous[0]) + 1) == inner and len(previous) == 1
        style = 1 if follows and not any(s[1] == "(i)" for s in open_letters) else 2
        if inner == "i" and previous == "":
            style = 2 if open_letters else 1
    else:
        style = 1
    return section_depth + style


def _next_clause(mark: _Mark, stack: list[tuple[int, str, int]], text: str) -> bool:
    """Whether a bare number is the main clause after the one that is open (UK style: 22, 22.1, 22.2, 23)."""
    top = next((s[1] for s in stack if s[2] == 1), "")
    return top.isdigit() and mark.label.isdigit() and int(mark.label) == int(top) + 1 and read_caption(text, mark.body)[0] != ""


def _opens_quotation(text: str, start: int) -> bool:
    """Whether a quotation mark opens just before a number: one that closes the text before does not count."""
    if text[start : start + 1] == '"':
        return True
    before = text[max(0, start - 2) : start]
    mark = before.rfind('"')
    if mark < 0 or before[mark + 1 :].strip():
        return False
    return "\n" not in before[mark + 1 :] or text[: max(0, start - 2) + mark][-40:].rstrip()[-1:] in {":", ""}


def build_tree(view: Traced, document: str, *, amendment: bool = False) -> ProvisionTree:
    """Builds the tree of one document.

    Args:
        view: the document's live view.
        document: its name.
        amendment: whether it is an instrument that quotes provisions of another: quoted ones are marked.

    Returns:
        Provisions with offsets of the canonical text.
    """
    text = view.text
    marks = _real_schedules(_drop_contents(_marks(text), text), text)
    stack: list[tuple[int, str, int]] = []  # (index, label, depth)
    rows: list[dict[str, object]] = []
    prefix: dict[int, str] = {}

    def close(depth: int, at: int) -> None:
        while stack and stack[-1][2] >= depth:
            index = stack.pop()[0]
            rows[index]["end"] = at

    section_depth = 0
    for mark in marks:
        heading, body = mark.heading, mark.body
        if mark.kind == "article":
            depth = 0
            heading, body = read_caption(text, mark.body)
        elif mark.kind == "schedule":
            depth, heading = 0, mark.label
        elif mark.kind == "definition":
            depth = 8
        elif mark.kind in {"section", "item"}:
            depth = 1 + mark.label.count(".") if mark.kind == "section" else 1
            inside = any(s[2] > 1 for s in stack) and any("." in s[1] for s in stack)
            if mark.kind == "item" and inside and not _next_clause(mark, stack, text):
                continue
            section_depth = depth
            heading, body = read_caption(text, mark.body)
        else:
            depth = _level(mark.label, stack, section_depth)
            if not any(s[2] >= 1 for s in stack) and mark.label.startswith("("):
                continue
            heading, body = read_caption(text, mark.body)
        close(depth, mark.start)
        parent = stack[-1][0] if stack else None
        label = mark.label
        if mark.kind == "clause":
            base = prefix.get(parent, "") if parent is not None else ""
            label = base + mark.label
        index = len(rows)
        prefix[index] = label if mark.kind in {"section", "item", "clause"} else ""
        quoted = amendment and _opens_quotation(text, mark.start)
        rows.append({"index": index, "parent": parent, "label": label, "heading": heading, "start": mark.start, "body": body,
                     "end": len(text), "depth": depth, "kind": mark.kind, "quoted": quoted})  # fmt: skip
        stack.append((index, mark.label, depth))
    _close_at_signatures(rows, text)
    return ProvisionTree(document=document, provisions=tuple(_canonical(view, row) for row in rows))


def _close_at_signatures(rows: list[dict[str, object]], text: str) -> None:
    """The last provision ends where the parties sign: the words of execution are none of its own."""
    signed = [m.start() for m in _SIGNED.finditer(text)]
    for row in rows:
        start, end = int(str(row["body"])), int(str(row["end"]))
        row["end"] = next((at for at in signed if start < at < end), end)


def _canonical(view: Traced, row: dict[str, object]) -> Provision:
    places = {}
    for key in ("start", "body", "end"):
        at = int(str(row[key]))
        origin = view.origin_of(at) if at < len(view.text) else None
        places[key] = origin[1] if origin else (view.segments[-1].origin + view.segments[-1].width if view.segments else 0)
    return Provision.model_validate({**row, **places})
