"""The network: an embedding of each feature, their mean, one hidden layer, one logit. Seeded, and the same bits on a CPU."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import nn

from conformed_plugins.scorers.learned.features import BUCKETS

__all__ = ["Network", "one_thread", "probabilities", "trained"]

_WIDTH = 12
_HIDDEN = 16

Examples = Sequence[tuple[int, ...]]


class Network(nn.Module):  # type: ignore[misc]
    """Features to a logit."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.EmbeddingBag(BUCKETS, _WIDTH, mode="sum")
        self.hidden = nn.Linear(_WIDTH, _HIDDEN)
        self.out = nn.Linear(_HIDDEN, 1)

    def forward(self, features: torch.Tensor, offsets: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        """Logits of a batch of bags of features.

        Args:
            features: all features, one bag after the other.
            offsets: where each bag begins.
            scale: one number a bag, by which its sum is divided: the root of its size.
        """
        summed = self.embed(features, offsets) / scale.unsqueeze(1)
        hidden: torch.Tensor = self.out(torch.relu(self.hidden(torch.relu(summed))))
        return hidden.squeeze(1)


@contextmanager
def one_thread() -> Iterator[None]:
    """One thread of torch, so that sums are taken in one order; what was set before comes back."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _bags(examples: Examples) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    sizes = torch.tensor([len(one) for one in examples])
    features = torch.tensor([feature for one in examples for feature in one], dtype=torch.int64)
    return features, sizes.cumsum(0) - sizes, sizes.clamp(min=1).float().sqrt()


def trained(
    examples: Examples, labels: Sequence[bool], *, seed: int, epochs: int, batch: int, rate: float
) -> tuple[Network, tuple[float, ...]]:
    """Trains on labelled examples.

    Args:
        examples: features of each.
        labels: one each.
        seed: of the first weights and the order of the examples; the global generator is left as it was.
        epochs: times that every example is seen.
        batch: examples an update.
        rate: learning rate.

    Returns:
        The network, and the mean loss of each epoch.
    """
    with one_thread(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = Network()
        optimiser = torch.optim.Adam(network.parameters(), lr=rate)
        wanted = torch.tensor([float(one) for one in labels])
        losses = []
        for _ in range(epochs):
            total = 0.0
            for places in torch.randperm(len(examples)).split(batch):
                chosen = [examples[place] for place in places.tolist()]
                optimiser.zero_grad()
                loss = nn.functional.binary_cross_entropy_with_logits(network(*_bags(chosen)), wanted[places])
                loss.backward()
                optimiser.step()
                total += loss.item() * len(chosen)
            losses.append(total / len(examples))
        return network.eval(), tuple(losses)


def probabilities(network: Network, examples: Examples) -> tuple[float, ...]:
    """The network's probability for each example.

    The same bits whatever stands beside an example: the layers are written out as single products and sums, whose rounding no
    library may arrange by the shape of the batch.
    """
    if not examples:
        return ()
    with one_thread(), torch.no_grad():
        features, offsets, scale = _bags(examples)
        layer = (network.embed(features, offsets) / scale.unsqueeze(1)).double().clamp(min=0)
        layer = _dense(layer, network.hidden).clamp(min=0)
        logits: list[float] = _dense(layer, network.out).squeeze(1).tolist()
    return tuple(_sigmoid(one) for one in logits)


def _dense(given: torch.Tensor, layer: nn.Linear) -> torch.Tensor:
    total = layer.bias.double().expand(given.shape[0], -1).clone()
    for place in range(given.shape[1]):
        total += given[:, place : place + 1] * layer.weight[:, place].double()
    return total


def _sigmoid(logit: float) -> float:
    return 1 / (1 + math.exp(-logit)) if logit >= 0 else math.exp(logit) / (1 + math.exp(logit))
