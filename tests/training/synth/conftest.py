"""One small data set with every split and every task, made once."""

from __future__ import annotations

import pytest

from conformed_plugins.training.items import Split
from conformed_plugins.training.synth.dataset import DataSet, make

COUNTS = {
    Split.SFT: 1600, Split.KNOWN: 240, Split.VALUES: 240, Split.GRPO: 400, Split.GRPO_KNOWN: 200, Split.UNSEEN: 400,
    Split.CHALLENGE: 104, Split.RETENTION: 96, Split.FINAL: 400,
}  # fmt: skip


@pytest.fixture(scope="session")
def data() -> DataSet:
    """Seed 11."""
    return make(11, COUNTS)
