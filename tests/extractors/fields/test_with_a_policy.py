"""The extractor with a real policy behind the real backend, on every sample pack: the level is the rules' or the run is for review."""

from __future__ import annotations

import datetime as dt
import importlib.util
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformed.app.options import RunOptions, silent
from conformed.app.reading import case_of_files, open_pack, question_of
from conformed.engine.checks import check_proposal
from conformed.engine.judge import stops
from conformed.hooks import load_registry
from conformed.model.operation import Extraction
from conformed.ports import Extractor, ExtractRequest
from conformed.rules.precedence.precedence import decide
from conformed_plugins.extractors.clauses import ClauseExtractor
from conformed_plugins.extractors.fields.extractor import FieldsExtractor
from conformed_plugins.extractors.fields.options import FieldsOptions
from conformed_plugins.retrievers.index import IndexRetriever

pytestmark = pytest.mark.skipif(
    any(importlib.util.find_spec(one) is None for one in ("torch", "transformers")), reason="the extra `ml` is not installed"
)

CASES = Path(__file__).parents[3] / "casefiles"
PACKS = ["harrow-review", "kestrel-breach", "marlow-pass", "tarn-not-tested"]


@pytest.fixture(scope="module")
def policies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Two backends: a network as it was drawn, and the same one after some seconds of training on invented clauses."""
    import torch

    from conformed.mirror.manifest import TrainedSource
    from conformed_plugins.backends.options import TransformersOptions
    from conformed_plugins.backends.transformers_backend.backend import TransformersBackend
    from conformed_plugins.training.actor.model import make_model
    from conformed_plugins.training.actor.pinning import pinned_weights
    from conformed_plugins.training.actor.size import ModelSize
    from conformed_plugins.training.actor.tokenizer import make_tokenizer
    from conformed_plugins.training.grpo.codec import ChatCodec
    from conformed_plugins.training.items import Split, Task
    from conformed_plugins.training.sft.batches import examples_of
    from conformed_plugins.training.sft.settings import SftSettings
    from conformed_plugins.training.sft.trainer import SftTrainer
    from conformed_plugins.training.synth.checking import check
    from conformed_plugins.training.synth.dataset import make

    data = make(2, {Split.SFT: 600, Split.KNOWN: 2}, (Task.FIELDS,))
    items = data.items(Split.SFT)
    tokenizer = make_tokenizer((text for item in items for text in (item.prompt, item.answer)), 400)
    codec = ChatCodec(tokenizer, [tokenizer.eos_token_id])
    model = make_model(tokenizer, ModelSize(layers=2, hidden=48, heads=2, kv_heads=1, head_dim=24, intermediate=96), seed=0)
    root = tmp_path_factory.mktemp("mirror")

    def backend(name: str) -> Any:
        source = TrainedSource(run=name, data=data.digest, plan="0" * 64)
        made = pinned_weights(model, tokenizer, root / name, name=name, source=source, card=f"# {name}\n")
        options = TransformersOptions(folder=root / name, manifest=made.digest, dtype="float32", device="cpu", threads=1)
        return TransformersBackend(options)

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    found = {"as it was drawn": backend("drawn")}
    ids = tokenizer([item.answer for item in items], add_special_tokens=False)["input_ids"]
    examples = examples_of(items, codec, [tuple(one) for one in ids], tokenizer.eos_token_id)
    how = SftSettings(batch=16, cap_updates=60, evaluate_every=100, threads=1, microbatches=1, warmup_updates=5)
    SftTrainer(model, codec, examples, data.items(Split.KNOWN), check, how, pad_id=tokenizer.pad_token_id).run()
    found["trained for seconds"] = backend("trained")
    torch.set_num_threads(threads)
    return found


def decided(request: ExtractRequest, *given: Extraction) -> str:
    """The level that some proposals lead to; review where a doubt stops the run."""
    whole = Extraction(
        operations=tuple(operation for one in given for operation in one.operations),
        rejected=tuple(doubt for one in given for doubt in one.rejected),
    )
    found = decide(request.case, whole)
    if any(stops(doubt.code) for doubt in whole.rejected):
        return "review"
    return str(found.covenant) if found.result == "determined" else str(found.result)


@pytest.mark.parametrize("pack", PACKS)
def test_the_level_is_that_of_the_rules_or_there_is_none(pack: str, policies: dict[str, Any]) -> None:
    """With either policy, each pack's level is the one by rules alone, or the run is for review; no span is invented."""
    registry = load_registry(env={})
    readers = [registry.create("reader", name, {}) for name in ("pdf", "html", "docx", "text")]
    files = open_pack(CASES / pack)
    case = case_of_files(files, question_of(RunOptions(), files.manifest, dt.date(2026, 1, 1)), readers, silent)
    request = ExtractRequest(case, IndexRetriever().retrieve(case))
    rules = ClauseExtractor().extract(request)
    alone = decided(request, rules)
    for name, backend in policies.items():
        added = FieldsExtractor(FieldsOptions(max_tokens=48)).extract(replace(request, backend=backend))
        check_proposal(added, case, request.retrieved.authorised)
        assert decided(request, rules, added) in {alone, "review"}, (pack, name)
        assert added.producer == "fields 1.0.0"


def test_it_fits_the_port() -> None:
    """The extractor is one."""
    assert isinstance(FieldsExtractor(FieldsOptions()), Extractor)
