"""Samples as they go between processes."""

from __future__ import annotations

import pickle
from types import MappingProxyType

from conformed.model.answer import Outcome
from conformed_plugins.training.items import Checked
from conformed_plugins.training.reward import Judged
from conformed_plugins.training.trl_trainer.samples import Sample, step_figures


def test_a_sample_can_be_sent_to_another_process() -> None:
    """What devices gather arrives as it was, the parts of its check and a missing reward included."""
    for reward in (1.1, None):
        checked = Checked(Outcome.CORRECT, format_ok=True, code="ok", parts=MappingProxyType({"ratio": True}))
        sample = Sample(3, "an answer", 40, 6, "eos", Judged(checked, reward))
        assert pickle.loads(pickle.dumps(sample)) == sample


def test_what_is_no_number_is_no_figure() -> None:
    """TRL logs None where there is nothing to average, and NaN: neither becomes a figure."""
    logged = {"loss": 0.5, "kl": None, "entropy": float("nan"), "grad_norm": 2.0, "epoch": 1}
    assert step_figures(logged, maximum=1.0) == {"loss": 0.5, "gradient_norm": 2.0, "gradient_clipped": 1.0}
