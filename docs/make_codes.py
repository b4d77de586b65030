"""Writes docs/codes.md: every code of the product with its sentence, when it is given, what a person does, and its rule.

python docs/make_codes.py          writes the page
python docs/make_codes.py --check  exits with 1 where the page is not what would be written
"""

from __future__ import annotations

import sys
from pathlib import Path

from ruamel.yaml import YAML

from conformed.engine.next_steps import next_steps
from conformed.model.codes import CODES, code_class
from conformed.model.decision import Reason, Result

HERE = Path(__file__).parent
PAGE = HERE / "codes.md"

CLASSES = {
    "review": ("Review", "The run stops for a person.", ""),
    "not_tested": ("Not tested", "The covenant does not bite on the test date.", "Check at the places shown why it is not tested."),
    "accept": ("Accept", "Something is established from the papers.", "Check it at the place shown."),
    "reject": (
        "Reject",
        "A document, clause or reading is left out, with certainty; the run goes on.",
        "Nothing, unless you know of something that the pack does not show.",
    ),
    "finding": ("Finding", "Something a person should know; it does not stop the run.", "Take note, and ask where it matters to you."),
    "claim": (
        "Claim",
        "A sentence of a draft is refused. It is not shown; the record stands.",
        "Nothing: the sentence was left out. Where a person wrote it, word it again from the record.",
    ),
    "override": ("Override", "Why a person decides otherwise than the run. It adds a fact and asks for a new run; it never writes a result.", ""),
}  # fmt: skip

FAMILIES = (
    ("G", "ground rules: each fact has its place, doubt is asked and never guessed, text is never repaired"),
    ("PR-01 to PR-08", "which documents count: knowledge, identity, kind, execution, completeness, restatements"),
    ("3.2, PR-10 to PR-13", "from which day each change counts"),
    ("PR-20 to PR-28", "consent, and which provision a change means"),
    ("PR-30 to PR-36", "order of changes, definitions, rows of schedules, levels from elsewhere"),
    ("PR-40 to PR-47", "suspension, temporary levels, elections, triggers, waivers, cures, certificates, conformed copies"),
    ("CA-01 to CA-62, 4", "the calculation: numbers, units, periods, caps, rounding, display"),
    ("CC-01 to CC-22", "what a drafted sentence may say"),
    ("6.2", "overrides by a person"),
)


def page() -> str:
    """The whole page.

    Raises:
        SystemExit: where a code has no entry, or an entry has no code.
    """
    told = YAML(typ="safe").load((HERE / "codes.yaml").read_text(encoding="utf-8"))
    if set(told) != set(CODES):
        raise SystemExit(f"docs/codes.yaml and the codes of the product differ: {sorted(set(told) ^ set(CODES))}")
    lines = [
        "# Codes",
        "",
        "<!-- Made by docs/make_codes.py from docs/codes.yaml and the product itself. Change those, not this page. -->",
        "",
        f"The product has {len(CODES)} codes. A run collects every code that applies, each with a sentence and the place it is about.",
        "",
        "| class | what it means | codes |",
        "| --- | --- | --- |",
    ]
    lines += [
        f"| [{title}](#{title.lower().replace(' ', '-')}) | {meaning} | {sum(code_class(code) == name for code in CODES)} |"
        for name, (title, meaning, _) in CLASSES.items()
    ]
    lines += ["", "Rules bear the numbers of the rule book:", "", "| rules | about |", "| --- | --- |"]
    lines += [f"| {numbers} | {about} |" for numbers, about in FAMILIES]
    for name, (title, meaning, act) in CLASSES.items():
        lines += ["", f"## {title}", "", meaning]
        for code in sorted(code for code in CODES if code_class(code) == name):
            entry = told[code]
            lines += [
                "",
                f'### <a id="{code}"></a>`{code}`',
                "",
                CODES[code],
                "",
                f"- **Given:** {entry['when']}",
                f"- **Do:** {entry.get('act') or act or _action(code)}",
                f"- **Rule:** {entry['rule']}",
            ]
    return "\n".join(lines) + "\n"


def _action(code: str) -> str:
    """What the product itself tells a person who meets this code."""
    return next_steps(Result.REVIEW, [Reason(code=code, sentence=CODES[code])], ())[0]


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        sys.exit(PAGE.read_text(encoding="utf-8") != page())
    PAGE.write_text(page(), encoding="utf-8")
