"""The weights of a loaded Qwen3 or Llama model, packed for decoding: fewer and larger products, norms folded into them.

In float32 and float64 the weight of a norm is multiplied into the product that follows it; in shorter types that would round
twice, so it stays apart. Halves of a head are interleaved, which makes a rotary embedding one complex product and leaves every
dot product of a query with a key as it was. Packing copies the products that are packed (query, key, value, gate, up); the
rest are the model's own tensors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch

__all__ = ["Layer", "Packed", "pack", "why_not"]

_KNOWN = {"Qwen3ForCausalLM": True, "LlamaForCausalLM": False}
"""Architectures that are packed, and whether their queries and keys are normed."""
_ROPES = ("default", "linear", "llama3", "yarn")
"""Rotary embeddings whose angles depend on nothing but the position."""


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer. ``rows`` are outputs, as in torch's linear layers."""

    qkv: torch.Tensor
    """[(heads + 2 x kv_heads) x head_dim, hidden]."""
    o: torch.Tensor
    """[heads x head_dim, hidden]: the other way round, a view, as are the weights of ``down``."""
    gate_up: torch.Tensor
    """[2 x intermediate, hidden]."""
    down: torch.Tensor
    """[intermediate, hidden]."""
    head_norm: torch.Tensor | None
    """[heads + kv_heads, head_dim]: weights of the norms of queries and keys; None for Llama."""
    norms: tuple[torch.Tensor, torch.Tensor] | None
    """Weights of the two norms of a layer, [hidden] each, float32; None where folded."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A model, packed."""

    layers: tuple[Layer, ...]
    """From the first to the last."""
    embedding: torch.Tensor
    """[vocabulary, hidden]."""
    head: torch.Tensor
    """[vocabulary, hidden]; the embedding itself where tied."""
    norm: torch.Tensor
    """[hidden]: the last norm's weight."""
    heads: int
    """Heads of queries."""
    kv_heads: int
    """Heads of keys and values."""
    head_dim: int
    """Width of a head."""
    floor: torch.Tensor
    """Root of the epsilon of the norms times the hidden size, a number."""
    head_floor: torch.Tensor
    """The same for the norms of queries and keys."""
    scale: float
    """Of the dot products of queries with keys."""
    rotary: Any
    """The model's rotary embedding."""
    bytes: int
    """Bytes of the copies."""

    @property
    def dtype(self) -> torch.dtype:
        """Type of weights, hidden states and cache."""
        return self.embedding.dtype

    @property
    def device(self) -> torch.device:
        """Where the weights lie."""
        return self.embedding.device

    @property
    def pair(self) -> torch.dtype:
        """The complex type of two neighbours of a head."""
        return torch.complex128 if self.dtype == torch.float64 else torch.complex64

    def angles(self, count: int) -> torch.Tensor:
        """Rotations by position, complex, [count, head_dim / 2]."""
        places = torch.arange(count, device=self.device)[None]
        cosine, sine = self.rotary(torch.zeros(1, dtype=torch.float32, device=self.device), places)
        half = self.head_dim // 2
        return torch.complex(cosine[0, :, :half].float(), sine[0, :, :half].float()).to(self.pair)


def why_not(model: Any) -> str:
    """Why a model cannot be packed, in a few words; empty where it can.

    Args:
        model: a causal language model of transformers.
    """
    name, config = type(model).__name__, model.config
    if name not in _KNOWN:
        return f"the architecture {name} is not known"
    rope = (getattr(config, "rope_parameters", None) or {}).get("rope_type", "default")
    if rope not in _ROPES:
        return f"its rotary embedding is {rope}"
    if config.hidden_act != "silu":
        return f"its activation is {config.hidden_act}"
    if getattr(config, "use_sliding_window", False) or set(getattr(config, "layer_types", None) or ()) - {"full_attention"}:
        return "it attends within a window"
    lines = [module for module in model.modules() if "Linear" in type(module).__name__]
    if any(type(module) is not torch.nn.Linear or module.bias is not None for module in lines):
        return "a layer of it is quantised, adapted or has a bias"
    kinds = {(one.dtype, one.device) for one in model.parameters()}
    if len(kinds) != 1 or not next(iter(kinds))[0].is_floating_point:
        return "its weights are of several types or on several devices"
    return ""


def pack(model: Any) -> Packed:
    """Packs a model. What is packed is a copy: change the model's weights and pack again.

    Args:
        model: a model of which ``why_not`` is empty.
    """
    with torch.no_grad():
        return _packed(model)


def _packed(model: Any) -> Packed:
    config, body = model.config, model.model
    normed = _KNOWN[type(model).__name__]
    first = body.layers[0].self_attn
    width, heads, kv_heads = first.head_dim, config.num_attention_heads, config.num_key_value_heads
    fold = model.dtype in (torch.float32, torch.float64)
    work = torch.zeros((), dtype=model.dtype if fold else torch.float32, device=model.device)
    layers = tuple(_layer(one, heads, kv_heads, width, normed=normed, fold=fold) for one in body.layers)
    return Packed(
        layers=layers,
        embedding=body.embed_tokens.weight.detach(),
        head=model.lm_head.weight.detach(),
        norm=_scaled(body.norm),
        heads=heads,
        kv_heads=kv_heads,
        head_dim=width,
        floor=work.new_tensor(math.sqrt(config.rms_norm_eps * config.hidden_size)),
        head_floor=work.new_tensor(math.sqrt(config.rms_norm_eps * width)),
        scale=first.scaling,
        rotary=body.rotary_emb,
        bytes=sum((one.qkv.numel() + one.gate_up.numel()) * one.qkv.element_size() for one in layers),
    )


def _layer(layer: Any, heads: int, kv_heads: int, width: int, *, normed: bool, fold: bool) -> Layer:
    attention, mlp = layer.self_attn, layer.mlp
    pairs = torch.arange(width).view(2, -1).T.flatten()  # 0, width/2, 1, width/2 + 1, ...
    query, key = (one.weight.unflatten(0, (-1, width))[:, pairs].flatten(0, 1) for one in (attention.q_proj, attention.k_proj))
    qkv = torch.cat((query, key, attention.v_proj.weight))
    gate_up = torch.cat((mlp.gate_proj.weight, mlp.up_proj.weight))
    # The norms here divide by the length of a vector and not by its root mean square: the root of the size is in the weight.
    before, after = _scaled(layer.input_layernorm), _scaled(layer.post_attention_layernorm)
    head_norm = None
    if normed:
        query_norm, key_norm = _scaled(attention.q_norm)[pairs], _scaled(attention.k_norm)[pairs]
        head_norm = torch.cat((query_norm.expand(heads, -1), key_norm.expand(kv_heads, -1)))
    if fold:
        qkv, gate_up = qkv * before, gate_up * after
    return Layer(
        qkv=qkv,
        o=attention.o_proj.weight.detach().t(),
        gate_up=gate_up,
        down=mlp.down_proj.weight.detach().t(),
        head_norm=head_norm,
        norms=None if fold else (before, after),
    )


def _scaled(norm: Any) -> torch.Tensor:
    """A norm's weight times the root of its size, in float32 at least."""
    weight = norm.weight
    return weight.to(torch.promote_types(weight.dtype, torch.float32)) * math.sqrt(len(weight))
