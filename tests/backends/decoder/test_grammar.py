"""Answers kept to a JSON Schema."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from conformed_plugins.backends.decoder import Decoder, Grammar, Settings

SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"level": {"type": "string", "pattern": "^[0-9]\\.[0-9]{2}$"}, "rises": {"type": "boolean"}},
        "required": ["level", "rises"],
        "additionalProperties": False,
    }
)
END = 0


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    """A byte-level tokenizer of 300 tokens; the end is token 0."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=["<|end|>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    made.train_from_iterator(["the ratio shall not exceed 3.75 to 1.00 at any time"] * 4, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=made, eos_token="<|end|>", pad_token="<|end|>")


@pytest.fixture(scope="module")
def wide(make: Any) -> Any:
    """A model with more rows in its embedding than the tokenizer has tokens."""
    return make(vocab_size=320)


@pytest.mark.parametrize("temperature", [None, 1.0, 2.0])
def test_every_answer_of_a_random_model_fits_the_schema(wide: Any, tokenizer: Any, temperature: float | None) -> None:
    """A model that knows nothing still says a whole JSON text of the schema and then ends, in every row, whatever the batch."""
    settings = Settings(
        max_new_tokens=60, stop_ids=frozenset({END}), samples=4, temperature=temperature,
        schema=Grammar(SCHEMA, tokenizer, 320, [END]),
    )  # fmt: skip
    prompts = [tokenizer.encode("the ratio"), tokenizer.encode("at any time the level")]
    found = Decoder(wide).decode(prompts, settings)
    for row in (row for rows in found for row in rows):
        said = json.loads(tokenizer.decode(row.tokens[:-1]))
        assert (row.stop, row.tokens[-1]) == ("eos", END)
        assert re.fullmatch(r"[0-9]\.[0-9]{2}", said["level"])
        assert type(said["rises"]) is bool
        assert row.behaviour_logprobs[0] == pytest.approx(0.0, abs=1e-5), "the first token is certain under the grammar"
        assert row.model_logprobs[0] < -0.1, "and not under the model"
    assert [Decoder(wide).decode([prompt], settings)[0] for prompt in prompts] == found


def test_a_cap_cuts_an_answer_and_says_so(wide: Any, tokenizer: Any) -> None:
    """An answer that the cap cuts is no JSON text, and its stop reason is the cap."""
    settings = Settings(max_new_tokens=5, stop_ids=frozenset({END}), schema=Grammar(SCHEMA, tokenizer, 320, [END]))
    row = Decoder(wide).decode([[5]], settings)[0][0]
    assert row.stop == "length"
    with pytest.raises(ValueError, match=r"JSON|Expecting|Unterminated|delimiter"):
        json.loads(tokenizer.decode(row.tokens))


def test_without_a_grammar_the_model_says_no_json(wide: Any, tokenizer: Any) -> None:
    """The same model without the schema does not even begin as one: so it is the grammar that makes the difference."""
    row = Decoder(wide).decode([[5]], Settings(max_new_tokens=8, stop_ids=frozenset({END})))[0][0]
    assert not tokenizer.decode([token for token in row.tokens if token < 300]).startswith("{")


@pytest.mark.parametrize(
    "schema",
    [
        "{",
        "true",
        "[]",
        '{"type": 5}',
        '{"not": {"type": "string"}}',
        '{"$ref": "http://elsewhere.example/schema"}',
        "[" * 100_000,
    ],
    ids=["cut", "true", "list", "wrong type", "not", "of elsewhere", "deep"],
)
def test_a_schema_that_cannot_be_kept_to_is_refused(tokenizer: Any, schema: str) -> None:
    """No JSON, no schema, a keyword that would be ignored, and one that lies elsewhere: refused, and never loosely kept to."""
    with pytest.raises(ValueError, match="schema"):
        Grammar(schema, tokenizer, 320, [END])


def test_a_grammar_needs_an_end(tokenizer: Any) -> None:
    """Without a stop token an answer could never end."""
    with pytest.raises(ValueError, match="stop token"):
        Grammar(SCHEMA, tokenizer, 320, [])
