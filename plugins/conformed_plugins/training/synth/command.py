"""The command ``synth``: makes a data set, writes it, prints its card."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from conformed.errors import GivenValueError, UsageError
from conformed.hooks import NoOptions
from conformed_plugins.training.items import Split, Task
from conformed_plugins.training.synth.card import sentences
from conformed_plugins.training.synth.dataset import make
from conformed_plugins.words import Words, understood

__all__ = ["COUNTS", "SynthCommand"]

COUNTS = {
    Split.SFT: 20_000, Split.KNOWN: 400, Split.VALUES: 400, Split.GRPO: 2_000, Split.GRPO_KNOWN: 400, Split.UNSEEN: 400,
    Split.CHALLENGE: 260, Split.RETENTION: 240, Split.FINAL: 400,
}  # fmt: skip
"""Items of each split where ``--count`` does not say."""
_MOST = 1_000_000


class _Words(Words):
    command = "synth"
    example = "conformed synth --seed 7 --out clauses --count sft=1000 --count known=200 --tasks fields"


class SynthCommand:
    """``conformed synth``: invented clauses with exact labels, the same for the same seed."""

    def __init__(self, _options: NoOptions) -> None:
        pass

    def run(self, arguments: Sequence[str], write: Callable[[str], None]) -> int:
        """Makes the data set and prints its card.

        Raises:
            UsageError: for arguments that are not understood, or a folder that cannot be written.
        """
        asked = understood(_parser(), arguments, write)
        if asked is None:
            return 0
        counts = COUNTS | dict(_count(text) for text in asked.count)
        try:
            data = make(asked.seed, counts, [Task(task) for task in dict.fromkeys(asked.tasks)])
            data.write(Path(asked.out))
        except GivenValueError as problem:
            raise UsageError(f"synth: {problem.found}", problem.mend) from problem
        for line in [json.dumps(data.card, ensure_ascii=False, sort_keys=True, indent=2)] if asked.json else sentences(data.card):
            write(line)
        return 0


def _count(text: str) -> tuple[Split, int]:
    name, _, number = text.partition("=")
    if name not in {split.value for split in Split} or not (number.isascii() and number.isdigit() and len(number) < 8):
        raise UsageError(f"synth: --count {text} is no split and number.", f"Example: {_Words.example}")
    if int(number) > _MOST:
        raise UsageError(f"synth: {number} items of {name} are too many.", f"Give at most {_MOST}.")
    return Split(name), int(number)


def _parser() -> Words:
    parser = _Words(prog="conformed synth", description="Make invented covenant clauses with exact labels.")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--out", required=True, help="a new or empty folder")
    parser.add_argument("--count", action="append", default=[], metavar="SPLIT=N")
    parser.add_argument("--tasks", nargs="+", choices=[task.value for task in Task], default=[task.value for task in Task])
    parser.add_argument("--json", action="store_true", help="print the card as JSON")
    return parser
