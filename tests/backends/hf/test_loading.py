"""Nothing is loaded that is not pinned, whole, and of the pinned kind; what the library raises is one sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from small_qwen import Pinned, edit_json, make_model, pin

from conformed.errors import MirrorError, PluginError
from conformed.mirror.private import PrivateCopy
from conformed_plugins.backends.options import TransformersOptions
from conformed_plugins.backends.transformers_backend import loading
from conformed_plugins.backends.transformers_backend.backend import TransformersBackend
from conformed_plugins.backends.transformers_backend.making import make


def backend(pinned: Pinned, **more: Any) -> TransformersBackend:
    """The backend on a folder."""
    return TransformersBackend(TransformersOptions(**pinned.options(**more)))


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Counts what the library is asked to load."""
    asked: list[str] = []
    real = loading._loaded

    def counted(copy: PrivateCopy, what: str, load: Callable[[], Any]) -> Any:
        asked.append(what)
        return real(copy, what, load)

    monkeypatch.setattr(loading, "_loaded", counted)
    return asked


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda at: (at / "config.json").unlink(), "config.json: missing"),
        (lambda at: (at / "vocab.json").write_text("{}"), "vocab.json: extra"),
        (lambda at: (at / "model.safetensors").write_bytes((at / "model.safetensors").read_bytes()[:-1] + b"\1"), "altered"),
        (lambda at: (at / "pytorch_model.bin").write_bytes(b"x"), "pytorch_model.bin: pickle"),
        (lambda at: (at / "modeling_x.py").write_text(""), "modeling_x.py: remote code"),
        (lambda at: edit_json(at / "config.json", auto_map={"AutoConfig": "x.X"}), "config.json: remote code"),
        (lambda at: ((at / "config.json").rename(at.parent / "c"), (at / "config.json").symlink_to(at.parent / "c")), "symlink"),
    ],
    ids=["missing", "extra", "altered", "pickle", "code", "auto_map", "link"],
)
def test_a_folder_that_is_not_as_pinned_loads_nothing(
    small: Pinned, copied: Callable[[], Path], loads: list[str], spoil: Callable[[Path], Any], words: str
) -> None:
    """Each refusal names the file, and the library is not called once."""
    folder = copied()
    spoil(folder)
    with pytest.raises(MirrorError, match=words):
        backend(Pinned(folder, small.manifest))
    assert loads == []


def test_what_was_verified_is_what_is_loaded(small: Pinned, copied: Callable[[], Path]) -> None:
    """The mirror is spoilt between the check and the loading of the weights: what it says is what the pinned weights say."""
    options = {"temperature": "1", "max_tokens": 10}
    wanted = backend(small).generate(("x",), samples=1, seed=1, options=options)
    folder = copied()
    made = backend(Pinned(folder, small.manifest))
    weights = load_file(folder / "model.safetensors")
    save_file({name: torch.zeros_like(one) for name, one in weights.items()}, folder / "model.safetensors", {"format": "pt"})
    (folder / "config.json").write_text("{}")
    assert made.generate(("x",), samples=1, seed=1, options=options) == wanted


def test_the_private_copy_is_gone_once_loaded(small: Pinned, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The copy lives until the weights are in memory; a backend that could not be made leaves none."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    made = backend(small)
    assert len(list(tmp_path.iterdir())) == 1
    made.generate(("x",), samples=1, seed=0, options={"max_tokens": 1})
    assert list(tmp_path.iterdir()) == []
    folder = tmp_path.parent / "plain"
    make_model(folder, template="{% for m in messages %}{{ m.content }}{% endfor %}")
    pinned = pin(folder)
    with pytest.raises(PluginError, match="no such mode"):
        backend(pinned, thinking="on")
    assert list(tmp_path.iterdir()) == []


def test_weights_that_lack_a_part_are_refused(copied: Callable[[], Path]) -> None:
    """The library would draw what is missing at random: a model with a layer less in its file is no model."""
    folder = copied()
    weights = load_file(folder / "model.safetensors")
    del weights["model.layers.1.mlp.up_proj.weight"]
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(MirrorError, match=r"missing keys: model\.layers\.1\.mlp\.up_proj\.weight"):
        backend(pin(folder)).generate(("x",), samples=1, seed=0, options={})


def test_weights_that_nothing_takes_are_refused(copied: Callable[[], Path]) -> None:
    """A file with more than the architecture has is not what the configuration says."""
    folder = copied()
    weights = load_file(folder / "model.safetensors")
    save_file({**weights, "model.more.weight": torch.zeros(2)}, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(MirrorError, match=r"unexpected keys: model\.more\.weight"):
        backend(pin(folder)).generate(("x",), samples=1, seed=0, options={})


@pytest.mark.parametrize("same", [True, False])
def test_a_tied_weight_that_is_stored_twice_is_one_weight(copied: Callable[[], Path], same: bool) -> None:
    """The reference's checkpoint holds its tied weight twice. Two that differ are two models in one file, and refused."""
    folder = copied()
    weights = load_file(folder / "model.safetensors")
    embedding = weights["model.embed_tokens.weight"]
    save_file(
        {**weights, "lm_head.weight": embedding.clone() if same else embedding + 1},
        folder / "model.safetensors",
        {"format": "pt"},
    )
    made = backend(pin(folder))
    if same:
        model = made.decoder.model
        assert model.get_output_embeddings().weight is model.get_input_embeddings().weight
    else:
        with pytest.raises(MirrorError, match="weights that it ties differ"):
            made.generate(("x",), samples=1, seed=0, options={})


def test_another_shape_is_refused(copied: Callable[[], Path]) -> None:
    """Weights of other sizes than the configuration's."""
    folder = copied()
    edit_json(folder / "config.json", intermediate_size=64)
    with pytest.raises(MirrorError):
        backend(pin(folder)).generate(("x",), samples=1, seed=0, options={})


def test_another_architecture_is_refused(copied: Callable[[], Path]) -> None:
    """The manifest says of which class the weights are."""
    pinned = pin(copied(), architecture="LlamaForCausalLM")
    with pytest.raises(MirrorError, match="is a Qwen3ForCausalLM, and LlamaForCausalLM is pinned"):
        backend(pinned).generate(("x",), samples=1, seed=0, options={})


@pytest.mark.parametrize(
    ("name", "data"), [("tokenizer.json", "{}"), ("config.json", "{}"), ("config.json", '{"model_type": "no"}')]
)
def test_what_the_library_raises_is_one_sentence(copied: Callable[[], Path], name: str, data: str) -> None:
    """Files that its parsers stumble over, each pinned as it is: a refusal that names model and part, without a path of ours."""
    folder = copied()
    (folder / name).write_text(data)
    pinned = pin(folder)
    with pytest.raises(MirrorError, match=r"of small cannot be loaded") as caught:
        backend(pinned)
    assert "conformed-model-" not in str(caught.value)


def test_any_exception_of_the_library_is_a_refusal(small: Pinned, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault injection: whatever the loader raises, the model is refused and the library's words are kept short."""

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("x" * 5000)

    monkeypatch.setattr(loading.AutoTokenizer, "from_pretrained", broken)
    with pytest.raises(MirrorError, match="the tokenizer of small cannot be loaded: RuntimeError: x") as caught:
        backend(small)
    assert len(str(caught.value)) < 500


def test_dtype_is_what_was_asked_for(small: Pinned) -> None:
    """The stored form decides nothing: weights are computed with in the dtype of the options."""
    for name in ("float32", "bfloat16"):
        weights = backend(small, dtype=name).decoder.model.parameters()
        assert {one.dtype for one in weights} == {getattr(torch, name)}


def test_the_model_is_ready_to_be_asked(small: Pinned) -> None:
    """No dropout, no gradient."""
    model = backend(small).decoder.model
    assert not model.training
    assert not any(one.requires_grad for one in model.parameters())


def test_the_library_stays_offline() -> None:
    """Whatever the environment said, and though somebody imported the library before, it is told that there is no network.

    So are the processes that this one starts.
    """
    code = (
        "import os, huggingface_hub.constants as c\n"
        "assert c.HF_HUB_OFFLINE is False\n"
        "import conformed_plugins.backends.transformers_backend.loading\n"
        "import transformers.utils.hub as h\n"
        "print(c.HF_HUB_OFFLINE, h.is_offline_mode(), os.environ['HF_HUB_OFFLINE'])"
    )
    line, env = [sys.executable, "-c", code], {**os.environ, "HF_HUB_OFFLINE": "0"}
    done = subprocess.run(line, env=env, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.split() == ["True", "True", "1"]


def test_the_library_says_nothing_of_its_own(
    small: Pinned, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bars and remarks that the library writes on standard error while it loads are not shown; its settings are as they were."""
    from transformers.utils import logging as said

    real, before = loading.AutoConfig.from_pretrained, (said.get_verbosity(), said.is_progress_bar_enabled())

    def talking(*given: Any, **named: Any) -> Any:
        sys.stderr.write("Converting...")
        return real(*given, **named)

    monkeypatch.setattr(loading.AutoConfig, "from_pretrained", talking)
    backend(small)
    assert capsys.readouterr().err == ""
    assert (said.get_verbosity(), said.is_progress_bar_enabled()) == before


def test_a_missing_extra_is_one_sentence(small: Pinned, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without transformers the backend says what to install."""
    for name in [one for one in sys.modules if one.startswith("conformed_plugins.backends.transformers_backend.")]:
        if not name.endswith("making"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(PluginError, match=r"conformed\[ml\]"):
        make(TransformersOptions(**small.options()))


def test_listing_plugins_imports_no_torch() -> None:
    """The registry, with the options of this backend, comes without torch and transformers."""
    code = "import sys; from conformed.hooks import load_registry; load_registry(env={}).get('backend', 'transformers'); "
    code += "print(json.dumps(sorted({'torch', 'transformers'} & set(sys.modules))))"
    done = subprocess.run([sys.executable, "-c", "import json; " + code], capture_output=True, text=True, timeout=120, check=True)
    assert json.loads(done.stdout) == []
