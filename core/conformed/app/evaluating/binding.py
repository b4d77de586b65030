"""The stages of an evaluation, bound to a contract's plugins."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from conformed.app.answering.forms import normal_form
from conformed.errors import PluginError, PolicyError
from conformed.evaluation.answers import extract_final
from conformed.evaluation.items import Item, Versions
from conformed.evaluation.runner import Generated, Stages
from conformed.model.answer import AnswerCheck, AnswerVerdict, Outcome
from conformed.policy.bind import BoundContract
from conformed.policy.sampling import PLACE
from conformed.ports import AnswerVerifier, Backend

__all__ = ["EXTRACTOR", "NORMALISER", "Judges", "asking", "judges_of", "stages_of"]

EXTRACTOR = "final 1"
"""Version of the taking of answers: raised when a response could give another answer than before."""
NORMALISER = "forms 1"
"""Version of the normal forms."""


@dataclass(frozen=True, slots=True)
class Judges:
    """The verifiers of a contract, by answer form."""

    by_form: Mapping[str, tuple[str, AnswerVerifier]]
    """Name and version of each, and itself."""
    default: str
    """The form of items that name none."""

    @property
    def version(self) -> str:
        """All of them in one line."""
        return ", ".join(name for name, _verifier in (self.by_form[form] for form in sorted(self.by_form)))

    def check(self, asks: AnswerCheck, form: str) -> AnswerVerdict:
        """Holds an answer against a reference; an error where no verifier is of the form."""
        found = self.by_form.get(form or self.default)
        if found is None:
            return AnswerVerdict(outcome=Outcome.ERROR, code="no_verifier")
        return found[1].check(asks)


def judges_of(bound: BoundContract) -> Judges:
    """The verifiers of a contract for short answers.

    Raises:
        PolicyError: when one of them checks no answers.
        PluginError: when one cannot be made.
    """
    found: dict[str, tuple[str, AnswerVerifier]] = {}
    for plugin in bound.step("verify").plugins:
        made, name = plugin.create(), plugin.registration.name
        if not isinstance(made, AnswerVerifier):
            raise PolicyError(f"The verifier {name!r} checks sentences and no answers.", "Name one that checks answers.")
        found[name] = (plugin.name, made)
    return Judges(found, bound.contract.verifier)


def asking(
    backend: Backend, prompt: str, options: Mapping[str, str], clock: Callable[[], float] = time.monotonic
) -> Callable[[Item, Sequence[int], int], Sequence[Generated]]:
    """What asks a backend for the responses to an item.

    Args:
        backend: the backend.
        prompt: the exact prompt, with the place of the item's own.
        options: decoding.
        clock: seconds that only go up.
    """

    def generate(item: Item, samples: Sequence[int], seed: int) -> Sequence[Generated]:
        whole, begun = prompt.replace(PLACE, item.prompt), clock()
        given = backend.generate((whole,), samples=max(samples) + 1, seed=seed, options=dict(options))
        took = round((clock() - begun) * 1000 / (max(samples) + 1))
        if len(given) != 1:
            raise PluginError(f"The backend gave {len(given)} tuples for one prompt.")
        return [Generated(one.text, took, one.prompt_tokens, len(one.tokens)) for one in (given[0][at] for at in samples)]

    return generate


def stages_of(judges: Judges, generate: Callable[[Item, Sequence[int], int], Sequence[Generated]]) -> Stages:
    """The stages of an evaluation under a contract's verifiers."""
    return Stages(
        generate=generate,
        extract=extract_final,
        normalise=lambda answer, item: normal_form(answer, item.form or judges.default),
        verify=lambda asks, item: judges.check(asks, item.form),
        versions=Versions(extractor=EXTRACTOR, normaliser=NORMALISER, verifier=judges.version),
    )
