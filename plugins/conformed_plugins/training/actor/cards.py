"""What is written beside the weights: a card inside the folder, the card of the mirror, and how a contract names the policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformed.mirror.manifest import Manifest, TrainedSource
from conformed_plugins.training.actor.settings import PolicySettings

__all__ = ["contract_of", "mirror_card", "weights_card"]


def weights_card(name: str, made_by: str, settings: PolicySettings, data: str) -> str:
    """The card inside the folder, as Markdown. It holds no figure that is not known before the weights are pinned."""
    return f"""# {name}

A small Qwen3 ({settings.size.layers} layers, {settings.size.hidden} wide, {settings.symbols} tokens), trained from nothing by {made_by}.

- Reads one sentence or short clause of a credit agreement, in English, and copies four fields out of it: ratio, direction, level,
  date; an empty text where the clause does not have one. The prompt is `Fields:`, a line break, the clause.
- Trained on invented clauses alone: data set {data}, seed {settings.seed}, settings {settings.digest}.
- It calculates nothing, knows no borrower and no market, and has never seen a real agreement. What it copies counts only where the
  rules read the same place in the same way.
- No thinking mode; greedy decoding. Padding and end are two tokens.
- Licence: Apache-2.0. How good it is, beside the rules: `report.txt` of the folder that it was made in.
"""


def mirror_card(manifest: Manifest, report: Mapping[str, Any]) -> str:
    """The card of the mirror, ``policies/models/NAME.yaml``, with the manifest for somebody to approve."""
    source = manifest.source
    assert isinstance(source, TrainedSource)
    return f"""# Trained here. Approve it by its manifest; report.txt says what it is worth beside the rules.
model: {manifest.model}
source:
  kind: trained
  run: {source.run}
  data: {source.data}
  plan: {source.plan}
licence: {manifest.licence}
architecture: {manifest.architecture}
stored: {manifest.stored}
spare_ids: {manifest.spare_ids}
manifest: {manifest.digest}
owner: Model risk
note: Copies ratio, direction, level and date out of one clause. By its report, use {report["use"]}.
"""


def contract_of(manifest: Manifest, folder: str) -> str:
    """The step of a contract that has the policy as a second reader beside the rules."""
    return f"""# Of a contract: its limits, and the step `extract` with the policy as a second reader. It can send a run to a person, and change no level.
limits:
  input_tokens: 200000
  generated_tokens: 50000

steps:
  - name: extract
    needs: [case_file, retrieved]
    gives: [extraction]
    uses:
      - {{plugin: clauses, version: 1.0.0}}
      - {{plugin: certificate, version: 1.0.0}}
      - {{plugin: fields, version: 1.0.0}}
    backend:
      plugin: transformers
      version: 1.0.0
      options: {{folder: {folder}, manifest: {manifest.digest}, dtype: float32, device: cpu, threads: 1}}
    timeout_seconds: 180
    then: {{accept: precedence, review: precedence, error: person}}
"""
