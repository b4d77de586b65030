"""A written checkpoint is read in a fresh process and tried before it counts: the model built anew must say what it said here, to the bit."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import torch

from conformed.errors import ConformedError, StepError
from conformed_plugins.training.state.checkpoint import read
from conformed_plugins.training.state.tensors import load_optimiser, load_weights
from conformed_plugins.training.state.windows import window_of

__all__ = ["OPTIMISER", "POLICY", "Trial", "fingerprint"]

POLICY, OPTIMISER = "policy.safetensors", "optimiser.safetensors"
_SECONDS = 300
_HERE = __name__


@dataclass(frozen=True, slots=True)
class Trial:
    """Tries checkpoints of one model.

    The fresh process is forked from a server that was started for this and has done nothing but import; where a system has no such
    server, a process is started from nothing.
    """

    model: Any
    """The policy as it is in this process."""
    probe: Sequence[int]
    """Token ids that it reads."""

    def __call__(self, folder: Path) -> None:
        """Tries a written checkpoint.

        Raises:
            StepError: when a fresh process cannot read it, or its model says something else.
        """
        methods = multiprocessing.get_all_start_methods()
        context: Any = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
        if context.get_start_method() == "forkserver":
            context.set_forkserver_preload([_HERE, type(self.model).__module__])
        ours, theirs = context.Pipe(duplex=False)
        config = self.model.config
        plain = json.dumps(config.to_dict() | {"attn_implementation": config._attn_implementation}, default=str)  # noqa: SLF001 - nowhere else
        asked = (theirs, str(folder), type(self.model).__name__, plain, list(self.probe))
        process = context.Process(target=_try, args=asked, daemon=True)
        process.start()
        theirs.close()
        try:
            said = ours.recv() if ours.poll(_SECONDS) else "it took too long"
        except EOFError:
            said = "it died"
        finally:
            process.kill()
            process.join()
        if said != (mine := fingerprint(self.model, self.probe)):
            what = said if " " in said else f"the model says {said[:12]} there and {mine[:12]} here"
            raise StepError(f"The checkpoint {folder.name} does not count: {what}.", "Look at the disk and its free space.")


def fingerprint(model: Any, probe: Sequence[int]) -> str:
    """SHA-256 of a model's logits after some tokens, on one thread, in evaluation mode."""
    before, training = torch.get_num_threads(), model.training
    torch.set_num_threads(1)
    try:
        with torch.no_grad():
            logits = model.eval()(torch.tensor([list(probe)], device=model.device), use_cache=False).logits
    finally:
        torch.set_num_threads(before)
        model.train(training)
    return hashlib.sha256(logits.float().cpu().numpy().tobytes()).hexdigest()


def _try(pipe: Connection, folder: str, architecture: str, config: str, probe: list[int]) -> None:
    """Runs in the fresh process: sends the fingerprint, or a sentence."""
    try:
        import transformers

        checkpoint = read(Path(folder))
        model_class = getattr(transformers, architecture)
        plain = {key: value for key, value in json.loads(config).items() if key not in ("dtype", "torch_dtype")}
        model = model_class(model_class.config_class(**plain))
        load_weights(model, checkpoint.files[POLICY])
        optimiser = torch.optim.AdamW(model.parameters())
        load_optimiser(model, optimiser, checkpoint.files[OPTIMISER])
        window_of(dict(checkpoint.files))
        pipe.send(fingerprint(model, probe))
    except ConformedError as problem:
        pipe.send(f"refused: {problem.found}")
    except Exception as problem:  # noqa: BLE001 - whatever it is, the checkpoint does not count, and the first process must hear of it
        pipe.send(f"it failed with {type(problem).__name__}")
