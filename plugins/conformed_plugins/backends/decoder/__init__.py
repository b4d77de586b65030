"""The batched decoder: many prompts, many samples each, on the weights of a loaded model.

A row's tokens are a function of the model, its prompt, the settings, the seed, its key and the number of the sample; the batch that it
rides in changes nothing. Prompts are token ids without padding; an answer never holds a prompt token.
"""

from __future__ import annotations

from conformed_plugins.backends.decoder.batched import Decoder, decode
from conformed_plugins.backends.decoder.grammar import Grammar
from conformed_plugins.backends.decoder.settings import Decoded, Settings

__all__ = ["Decoded", "Decoder", "Grammar", "Settings", "decode"]
