"""Wordings: one opening, one core, one sentence beside it, one tail, composed in a fixed order without chance."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from conformed_plugins.training.items import Split
from conformed_plugins.training.synth.bank_final import FINAL
from conformed_plugins.training.synth.bank_grpo import GRPO
from conformed_plugins.training.synth.bank_sft import SFT
from conformed_plugins.training.synth.bank_unseen import UNSEEN
from conformed_plugins.training.synth.pieces import Bank, Core

__all__ = ["BANKS", "BANK_OF", "Wording", "wordings"]

BANKS: Mapping[str, Bank] = {bank.name: bank for bank in (SFT, GRPO, UNSEEN, FINAL)}
"""Bank by the name of its group."""
BANK_OF: Mapping[Split, str] = {
    Split.SFT: "sft",
    Split.KNOWN: "sft",
    Split.VALUES: "sft",
    Split.GRPO: "grpo",
    Split.GRPO_KNOWN: "grpo",
    Split.UNSEEN: "unseen",
    Split.FINAL: "final",
}
"""Group of wordings of each split that has one."""


class Wording(NamedTuple):
    """One way to say a covenant."""

    name: str
    """Template id: task, bank, core, and the numbers of opening, sentence beside it and tail."""
    bank: str
    """Name of its bank."""
    core: Core
    text: str
    """The whole clause with its slots."""


@cache
def wordings(bank: str) -> tuple[Wording, ...]:
    """The wordings of a bank, round by round: the first of every core, then the second of every core, and so on."""
    parts = BANKS[bank]
    return tuple(
        _composed(
            parts,
            core,
            (turn + 3 * at) % len(parts.openings),
            (turn * 5 + at) % len(parts.besides),
            (turn + at) % len(parts.tails),
        )
        for turn in range(parts.rounds)
        for at, core in enumerate(parts.cores)
    )


def _composed(bank: Bank, core: Core, opening: int, beside: int, tail: int) -> Wording:
    place, sentence = bank.besides[beside]
    order = [sentence, core.text] if place == "before" else [core.text, sentence]
    text = " ".join(part for part in (bank.openings[opening], *order, bank.tails[tail]) if part)
    return Wording(f"fields/{bank.name}/{core.name}.{opening}.{beside}.{tail}", bank.name, core, text)
