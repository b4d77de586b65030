"""A calculator for methods that may use one: what a response asks for is worked out exactly by our rules, and the response goes on.

A response that ends in ``<calc>EXPRESSION</calc>`` is asked to go on from there with the value behind it. The expression is in the
product's closed language; it is parsed, never run. Whatever it refuses is answered with words, not with a number.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence

from conformed.errors import RuleError
from conformed.evaluation.items import Item
from conformed.evaluation.runner import Generated
from conformed.policy.sampling import PLACE
from conformed.ports import Backend
from conformed.rules.calculation.formula import evaluate

__all__ = ["MOST_CALLS", "with_calculator", "worked_out"]

MOST_CALLS = 4
"""Most calculations of one response; a response that still asks then is kept as it is."""
_ASKS = re.compile(r"<calc>([^<>]{1,400})</calc>\s*\Z")


def worked_out(text: str) -> str | None:
    """What the calculator writes behind a response that asks it something; None where it asks nothing."""
    asked = _ASKS.search(text)
    if asked is None:
        return None
    try:
        return f" = {evaluate(asked[1].strip(), {})}\n"
    except RuleError:
        return " = (the calculator refuses this)\n"


def with_calculator(
    backend: Backend, prompt: str, options: Mapping[str, str], clock: Callable[[], float] = time.monotonic
) -> Callable[[Item, Sequence[int], int], Sequence[Generated]]:
    """What asks a backend for the responses to an item, with a calculator at hand.

    Args:
        backend: the backend.
        prompt: the exact prompt, with the place of the item's own.
        options: decoding.
        clock: seconds that only go up.
    """

    def generate(item: Item, samples: Sequence[int], seed: int) -> Sequence[Generated]:
        whole, begun = prompt.replace(PLACE, item.prompt), clock()
        first = backend.generate((whole,), samples=max(samples) + 1, seed=seed, options=dict(options))[0]
        found = []
        for sample in samples:
            text, tokens, asked = first[sample].text, len(first[sample].tokens), first[sample].prompt_tokens
            for _call in range(MOST_CALLS):
                value = worked_out(text)
                if value is None:
                    break
                text += value
                # From here on a response goes its own way, so that it is asked for alone, at its own place among the samples.
                (more,) = backend.generate((whole + "\n" + text,), samples=sample + 1, seed=seed, options=dict(options))
                text, tokens = text + more[sample].text, tokens + sum(len(one.tokens) for one in more)
                asked += more[sample].prompt_tokens
            found.append((text, asked, tokens))
        took = round((clock() - begun) * 1000 / len(samples))
        return [Generated(text, took, asked, tokens) for text, asked, tokens in found]

    return generate
