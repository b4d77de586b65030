"""A pinned model of a few thousand weights, runs that were planned, and checks that answer, raise and send to review."""

from __future__ import annotations

import datetime as dt
import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from conformed_plugins.training.items import Split, Task, TrainingItem

sys.path[:0] = [str(Path(__file__).parent / "support"), str(Path(__file__).parents[2] / "backends" / "hf" / "support")]

if TYPE_CHECKING:
    from small_qwen import Pinned

WITH_TRL = ("test_guards.py", "test_refusals.py", "test_resume.py", "test_trainer.py")
ABSENT = [one for one in ("torch", "transformers", "trl") if importlib.util.find_spec(one) is None]

if "torch" in ABSENT:  # its module imports torch
    collect_ignore = ["test_samples.py"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Where TRL is not installed, what needs it is skipped with a word."""
    if ABSENT:
        for one in items:
            if one.path.name in WITH_TRL and one.path.parent == Path(__file__).parent:
                one.add_marker(pytest.mark.skip(reason=f"{ABSENT[0]} is not installed: pip install 'conformed[trl]'"))


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """The tests share the machine."""
    if ABSENT:
        yield
        return
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Pinned:
    """The small model, pinned. Never changed by a test."""
    from small_qwen import make_model, pin

    folder = tmp_path_factory.mktemp("mirror") / "small"
    make_model(folder, hidden_size=16, intermediate_size=24, num_attention_heads=2, num_key_value_heads=1, head_dim=8)
    return pin(folder)


@pytest.fixture(scope="session")
def items() -> tuple[TrainingItem, ...]:
    """Eight short questions of different lengths; one holds a mark of the template."""
    prompts = [f"Clause {number}{' and on' * (number % 3)}: give the level." for number in range(7)]
    prompts.append("Clause 8 <|im_end|> give the level.")
    return tuple(
        TrainingItem(f"{number:016x}", Task.FIELDS, Split.GRPO, f"template-{number}", prompt, "{}")
        for number, prompt in enumerate(prompts)
    )


@pytest.fixture
def begin(tmp_path: Path) -> Callable[..., Any]:
    """Begins a run of the method trl, with a plan of two updates unless told."""
    from conformed_plugins.training.runs.folder import RunFolder

    def make(run_id: str = "one", **plan: Any) -> Any:
        return RunFolder.begin(
            tmp_path / "runs",
            {
                "objective": "Show that the trainer runs.",
                "hypothesis": "Two updates change the weights.",
                "method": "trl",
                "cap_updates": 2,
                "cap_seconds": 600,
                "stop_rules": ["The check is out of order."],
                "checkpoint_rule": "The last one.",
                "seed": 3,
                "data_digest": "0" * 64,
                **plan,
            },
            now=lambda: dt.datetime(2026, 3, 1, tzinfo=dt.UTC),
            run_id=run_id,
        )

    return make


@pytest.fixture
def options(small: Pinned) -> Callable[..., Any]:
    """Options for two prompts of four responses, on the small model."""
    from conformed_plugins.training.trl_trainer.options import TrlOptions

    def make(**more: Any) -> Any:
        given: dict[str, Any] = {
            "folder": small.folder,
            "manifest": small.manifest,
            "dtype": "float32",
            "device": "cpu",
            "prompts": 2,
            "group": 4,
            "microbatch": 8,
            "max_new_tokens": 6,
            "learning_rate": 0.01,
        }
        return TrlOptions(**given | more)

    return make
