"""Answers kept to a JSON Schema, token by token, through llguidance."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from conformed.errors import GivenValueError

__all__ = ["Grammar", "Matchers"]


class Grammar:
    """A JSON Schema over the vocabulary of a tokenizer.

    Args:
        schema: the JSON Schema, as JSON text.
        tokenizer: a fast tokenizer of transformers.
        vocabulary: width of the model's logits; rows beyond the tokenizer's own tokens are never allowed.
        stop_ids: tokens that end an answer; allowed only where the JSON text is whole.

    Raises:
        ValueError: for a schema that is not JSON, or that llguidance cannot keep to; names what.
    """

    def __init__(self, schema: str, tokenizer: Any, vocabulary: int, stop_ids: Sequence[int]) -> None:
        import llguidance
        import llguidance.hf

        try:
            known = json.loads(schema)
        except (ValueError, RecursionError) as problem:
            raise GivenValueError("The schema is not JSON.", "Give a JSON Schema as JSON text.") from problem
        if not isinstance(known, dict):
            raise GivenValueError("The schema is no JSON object.", "Give a JSON Schema that says something.")
        if not stop_ids:
            raise GivenValueError("There is no stop token, so an answer could not end.", "Give one.")
        stops = sorted(set(stop_ids))
        self._tokenizer = llguidance.hf.from_tokenizer(tokenizer, n_vocab=vocabulary, eos_token=stops)
        self._grammar = llguidance.LLMatcher.grammar_from_json_schema(schema, {"whitespace_flexible": False})
        why_not = llguidance.LLMatcher.validate_grammar(self._grammar, self._tokenizer)
        if why_not:
            raise GivenValueError(f"The schema cannot be kept to: {why_not}.", "Give a simpler one.")
        self.vocabulary = vocabulary
        """Width of the masks."""

    def matchers(self, rows: int) -> Matchers:
        """The state of some rows, each at its beginning."""
        import llguidance

        return Matchers([llguidance.LLMatcher(self._tokenizer, self._grammar) for _ in range(rows)], self.vocabulary)


class Matchers:
    """Where each row stands in the grammar."""

    def __init__(self, matchers: list[Any], vocabulary: int) -> None:
        self._matchers, self._vocabulary = matchers, vocabulary

    def allowed(self, rows: Sequence[int]) -> torch.Tensor:
        """What rows may say next: [rows, vocabulary], bool.

        Raises:
            ValueError: when llguidance gives up on a row (a limit of its own was passed); names the reason.
        """
        masks = np.zeros((len(rows), (self._vocabulary + 31) // 32 * 4), dtype=np.uint8)
        for place, row in enumerate(rows):
            matcher = self._matchers[row]
            bits = np.frombuffer(matcher.compute_bitmask(), dtype=np.uint8)
            if matcher.is_error():
                raise GivenValueError(f"The grammar stopped: {matcher.get_error()}.", "Give a simpler schema.")
            masks[place, : len(bits)] = bits[: masks.shape[1]]
        flags = np.unpackbits(masks, axis=1, bitorder="little")[:, : self._vocabulary]
        return torch.from_numpy(flags.astype(bool))

    def said(self, row: int, token: int) -> None:
        """Takes in the token that a row said."""
        self._matchers[row].consume_token(token)
