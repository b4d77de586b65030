"""Ports: what the engine asks of each kind of plugin, as protocols. A plugin imports only these, the model and the hooks.

A port's method returns a value or raises. What it returns is checked by the engine: nothing that a plugin returns is a
figure of the result, a date, an order or a comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from conformed.model.answer import AnswerCheck, AnswerVerdict
from conformed.model.claim import Claim, Draft, Sentence, Verdict
from conformed.model.document import Document, Refusal, Table
from conformed.model.operation import Extraction
from conformed.model.pack import CaseFile
from conformed.model.retrieval import Retrieved
from conformed.model.span import Span

__all__ = [
    "AnswerVerifier",
    "Backend",
    "Command",
    "Completion",
    "DraftRequest",
    "Drafter",
    "Executor",
    "ExtractRequest",
    "Extractor",
    "Reader",
    "Retriever",
    "Scorer",
    "Sink",
    "TemplateView",
    "Templated",
    "Tracker",
    "Trainer",
    "Verifier",
    "Witness",
]


@runtime_checkable
class Reader(Protocol):
    """Reads one format into a document with one canonical text."""

    def accepts(self, name: str, head: bytes) -> bool:
        """Whether the bytes are of this reader's format. Decided by content; the name only breaks ties.

        Args:
            name: path inside the pack.
            head: the first 4,096 bytes.
        """
        ...

    def read(self, name: str, data: bytes) -> Document | Refusal:
        """Reads one file, or refuses it by name. Never raises for bad bytes; bounded in time and memory."""
        ...

    def boxes(self, document: Document, data: bytes, spans: Sequence[Span]) -> tuple[Span, ...]:
        """The same spans with their rectangles filled in, where the format has pages; else the spans as they are."""
        ...

    def tables(self, document: Document, data: bytes, pages: Sequence[int]) -> tuple[Table, ...]:
        """Tables on some pages (all, for formats without pages), each cell with its span where that is exact."""
        ...

    def image(self, document: Document, data: bytes, page: int, dpi: int) -> bytes | None:
        """A page as a PNG, or None where the format has no page images."""
        ...


@runtime_checkable
class Witness(Protocol):
    """A reader that can also hold the numbers of a document against what its pages show. Not every format has pages to look at."""

    def witness(self, document: Document, data: bytes, spans: Sequence[Span]) -> tuple[str, ...]:
        """For each span, in order, what speaks against the numbers in it in a few words; empty where nothing does."""
        ...


@runtime_checkable
class Retriever(Protocol):
    """Finds the passages of the authorised documents that matter for the question."""

    def retrieve(self, case: CaseFile) -> Retrieved:
        """Passages and coverage. May not name a document outside the case file."""
        ...


@dataclass(frozen=True, slots=True)
class ExtractRequest:
    """What an extractor is given."""

    case: CaseFile
    """The only texts that may be looked at."""
    retrieved: Retrieved
    """Authorised documents and passages."""
    tables: Callable[[str, Sequence[int]], tuple[Table, ...]] = field(default=lambda name, pages: ())  # noqa: ARG005 - the shape of a source of tables
    """Tables of a document on some pages, read on demand."""
    spend: Callable[..., None] = field(default=lambda **_counts: None)
    """Counts whole units by name (``input_tokens=``, ``generated_tokens=``, ``cost_units=``) before they are spent; raises
    StepError when the contract's budget would be passed."""
    backend: Backend | None = None
    """What generates, where the contract names one; the engine counts and bounds its calls."""


@runtime_checkable
class Extractor(Protocol):
    """Proposes operations, covenant statements and certificate figures, each with the spans that show it."""

    def extract(self, request: ExtractRequest) -> Extraction:
        """Proposals. The engine checks every span against the text before any rule sees them."""
        ...


@dataclass(frozen=True, slots=True)
class DraftRequest:
    """What a drafter is given: claims that passed their checks, and nothing else of the run."""

    run: str
    """Run id, to be carried in the draft."""
    pack_digest: str
    """Digest of the pack, to be carried in the draft."""
    claims: tuple[Claim, ...]
    """What may be said."""
    feedback: tuple[Verdict, ...] = ()
    """In a repair round: why the last draft was refused."""
    spend: Callable[..., None] = field(default=lambda **_counts: None)
    """As in ExtractRequest."""
    backend: Backend | None = None
    """As in ExtractRequest."""


@runtime_checkable
class Drafter(Protocol):
    """Puts claims into words."""

    def draft(self, request: DraftRequest) -> tuple[Draft, ...]:
        """One or more drafts. Each goes through the claim checks; the shortest that passes is used."""
        ...


@runtime_checkable
class Verifier(Protocol):
    """A further check of sentences. It can only tighten: the product's own claim checks always run."""

    def verify(self, sentence: Sentence, claims: tuple[Claim, ...]) -> Verdict:
        """accept, reject or review, with a code."""
        ...


@runtime_checkable
class AnswerVerifier(Protocol):
    """Checks a short answer against a reference. Registered as a verifier, too."""

    def check(self, request: AnswerCheck) -> AnswerVerdict:
        """correct, incorrect or review with a code; error where the check itself could not be made. Never hangs."""
        ...


@dataclass(frozen=True, slots=True)
class Completion:
    """One completion of a backend."""

    text: str
    """Generated text."""
    tokens: tuple[int, ...]
    """Token ids, without the prompt's."""
    behaviour_logprobs: tuple[float, ...]
    """Per token, under the tempered and truncated distribution that was sampled."""
    model_logprobs: tuple[float, ...]
    """Per token, under the plain softmax."""
    stop: str
    """eos, length or context."""
    producer: str
    """Digest of model, tokenizer, template and settings."""
    prompt_tokens: int = 0
    """Tokens of the prompt, template included; 0 where nothing counts them."""


@runtime_checkable
class Backend(Protocol):
    """Generates text."""

    repeatable: bool
    """Whether a seed makes its output repeatable."""

    def generate(
        self, prompts: Sequence[str], *, samples: int, seed: int, options: dict[str, Any]
    ) -> tuple[tuple[Completion, ...], ...]:
        """Completions, one tuple a prompt."""
        ...


@dataclass(frozen=True, slots=True)
class TemplateView:
    """How a prompt is shown to a model: for a person who looks, never for a log."""

    template_sha256: str
    """SHA-256 of the template's text."""
    tokens: int
    """Tokens of the rendered prompt."""
    first: tuple[int, ...]
    """Its first 12 token ids."""
    last: tuple[int, ...]
    """Its last 12 token ids."""
    text: str = field(repr=False)
    """The rendered text."""


@runtime_checkable
class Templated(Protocol):
    """A backend that can show how a prompt is put into its model's template."""

    def inspect_template(self, prompt: str, *, thinking: bool) -> TemplateView:
        """The rendered prompt, without generating anything."""
        ...


@runtime_checkable
class Scorer(Protocol):
    """Scores candidates; a score never decides alone."""

    def score(self, items: Sequence[dict[str, Any]]) -> tuple[Any, ...]:
        """One score an item, or a Missing with its reason."""
        ...


@runtime_checkable
class Trainer(Protocol):
    """Trains a policy (in the sense of reinforcement learning) on synthetic items."""

    def train(self, plan: dict[str, Any]) -> dict[str, Any]:
        """Runs a plan and returns its diary."""
        ...


@runtime_checkable
class Executor(Protocol):
    """Runs independent jobs."""

    def run(self, job: Callable[[Any], Any], items: Sequence[Any]) -> Iterable[Any]:
        """Results in the order of the items, whatever the order of completion."""
        ...


@runtime_checkable
class Sink(Protocol):
    """Takes signed checkpoints of the log away from whoever owns its database."""

    name: str
    """Its name, unique in a workspace: an option of the plugin."""
    outside: bool
    """Whether the owner of the database cannot rewrite what it holds. Only such a one publishes a decision."""

    def put(self, note: str, proof: Callable[[int], Sequence[bytes]]) -> str:
        """Stores the exact text of one checkpoint. Raises when it is not certain that it is stored.

        Args:
            note: the checkpoint with its signatures (C2SP): origin, size and root on its first three lines. A size is only
                ever given with one root; the same note may come again.
            proof: the hashes that show that this tree begins with the one of an earlier size (RFC 6962, 2.1.2).

        Returns:
            Cosignature lines, for a witness; otherwise where it was put, on one line.
        """
        ...


@runtime_checkable
class Tracker(Protocol):
    """Receives figures of training and evaluation, for a tracking service."""

    def track(self, run: str, step: int, figures: Mapping[str, str]) -> None:
        """Receives figures by name, each an exact number as a string, at one step of a run."""
        ...


@runtime_checkable
class Command(Protocol):
    """A further command of the command line."""

    def run(self, arguments: Sequence[str], write: Callable[[str], None]) -> int:
        """Carries out the command.

        Args:
            arguments: words after the command's name.
            write: writes one line to standard output.

        Returns:
            The exit code: 0, 1 for an error, 2 for bad usage.
        """
        ...
