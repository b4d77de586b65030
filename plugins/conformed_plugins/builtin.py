"""The built-in plugins, entering by the same door as a stranger's. Each is imported only when a contract makes it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from conformed.errors import PluginError
from conformed.hooks import Register, Registration, hookimpl

__all__ = [
    "register_backends",
    "register_commands",
    "register_drafters",
    "register_extractors",
    "register_readers",
    "register_retrievers",
    "register_scorers",
    "register_sinks",
    "register_trackers",
    "register_trainers",
    "register_verifiers",
]

VERSION = "1.0.0"


def _maker(module: str, name: str) -> Any:
    def make(_options: object) -> object:
        return getattr(import_module(f"conformed_plugins.{module}"), name)()

    return make


def _maker_with_options(module: str, name: str) -> Any:
    def make(options: object) -> object:
        return getattr(import_module(f"conformed_plugins.{module}"), name)(options)

    return make


def _maker_with_torch(module: str, name: str) -> Any:
    make = _maker_with_options(module, name)

    def make_or_say(options: object) -> object:
        try:
            return make(options)
        except ModuleNotFoundError as problem:
            if problem.name not in ("torch", "safetensors"):
                raise
            raise PluginError(f"{problem.name} is not installed.", "pip install 'conformed[ml]'") from problem

    return make_or_say


def _offer(register: Register, kind: str, name: str, summary: str, module: str, thing: str) -> None:
    register(Registration(kind=kind, name=name, version=VERSION, summary=summary, factory=_maker(module, thing)))


@hookimpl
def register_readers(register: Register) -> None:
    """Readers of the formats in which packs arrive."""
    _offer(
        register,
        "reader",
        "pdf",
        "Reads PDF through pdfium in a child process; tables and boxes on demand.",
        "readers.pdf",
        "PdfReader",
    )
    _offer(register, "reader", "html", "Reads HTML, struck and hidden words kept apart.", "readers.html", "HtmlReader")
    _offer(register, "reader", "xlsx", "Reads workbooks, every cell as a person sees it.", "readers.xlsx", "XlsxReader")
    _offer(register, "reader", "docx", "Reads DOCX with tracked changes and automatic numbering.", "readers.docx", "DocxReader")
    _offer(register, "reader", "text", "Reads plain text and Markdown.", "readers.text", "TextReader")


@hookimpl
def register_retrievers(register: Register) -> None:
    """Retrieval."""
    _offer(
        register,
        "retriever",
        "index",
        "Sections and defined terms first, full-text search second.",
        "retrievers.index",
        "IndexRetriever",
    )


@hookimpl
def register_extractors(register: Register) -> None:
    """Extraction by rules, the non-generative baseline."""
    _offer(
        register,
        "extractor",
        "clauses",
        "Covenants, amendments and waivers by the grammar of contract language.",
        "extractors.clauses",
        "ClauseExtractor",
    )
    _offer(
        register,
        "extractor",
        "certificate",
        "Figures of filled compliance certificates.",
        "extractors.certificate",
        "CertificateExtractor",
    )
    from conformed_plugins.extractors.model.options import ModelOptions

    factory = _maker_with_options("extractors.model.extractor", "ModelExtractor")
    summary = "A second reader beside clauses: a model points at words, and the rules read them."
    register(Registration("extractor", "model", VERSION, summary, factory, ModelOptions))
    from conformed_plugins.extractors.fields.options import FieldsOptions

    factory = _maker_with_options("extractors.fields.extractor", "FieldsExtractor")
    summary = "A second reader beside clauses: a small trained policy copies fields, and the rules read them."
    register(Registration("extractor", "fields", VERSION, summary, factory, FieldsOptions))


@hookimpl
def register_drafters(register: Register) -> None:
    """Drafts."""
    _offer(register, "drafter", "templates", "Puts checked claims into plain sentences.", "drafters.templates", "TemplateDrafter")
    from conformed_plugins.drafters.model.options import DraftOptions

    factory = _maker_with_options("drafters.model.drafter", "ModelDrafter")
    summary = "Has a model word the claims; every sentence goes through the claim checks."
    register(Registration("drafter", "model", VERSION, summary, factory, DraftOptions))


@hookimpl
def register_sinks(register: Register) -> None:
    """Whoever is given the signed checkpoints of the log."""
    from conformed_plugins.sinks.options import FileOptions, LineOptions, WitnessOptions

    for name, summary, thing, options in (
        ("file", "Checkpoints as files of a folder, never over one another.", "FileSink", FileOptions),
        ("line", "Checkpoints as printed lines.", "LineSink", LineOptions),
        ("witness", "Checkpoints to a witness that checks and cosigns.", "WitnessSink", WitnessOptions),
    ):
        factory = _maker_with_options(f"sinks.{name}", thing)
        register(Registration("sink", name, VERSION, summary, factory, options))


@hookimpl
def register_backends(register: Register) -> None:
    """What generates text."""
    from conformed_plugins.backends.scripted import ScriptedOptions

    factory = _maker_with_options("backends.scripted", "ScriptedBackend")
    summary = "Says what a file says it should: for tests and demonstrations."
    register(Registration("backend", "scripted", VERSION, summary, factory, ScriptedOptions))
    factory, summary = (
        _maker_with_options("backends.arithmetic", "ArithmeticBackend"),
        "Works out the one calculation a prompt asks for.",
    )
    register(Registration("backend", "arithmetic", VERSION, summary, factory))
    from conformed_plugins.backends.endpoint.options import EndpointOptions
    from conformed_plugins.backends.recorded import RecordedOptions

    factory = _maker_with_options("backends.endpoint.backend", "EndpointBackend")
    summary = "Asks a model behind an OpenAI-compatible HTTP endpoint."
    register(Registration("backend", "endpoint", VERSION, summary, factory, EndpointOptions))
    factory = _maker_with_options("backends.recorded", "RecordedBackend")
    summary = "Repeats what another backend said, from a recording with hashes."
    register(Registration("backend", "recorded", VERSION, summary, factory, RecordedOptions))
    from conformed_plugins.backends.options import TransformersOptions

    factory = _maker_with_options("backends.transformers_backend.making", "make")
    summary = "Runs a pinned model of the mirror here, offline, through torch and transformers."
    register(Registration("backend", "transformers", VERSION, summary, factory, TransformersOptions))


@hookimpl
def register_commands(register: Register) -> None:
    """Further commands."""
    factory = _maker_with_options("backends.bench.command", "BenchCommand")
    summary = "conformed bench generate: what generation costs here, with the conditions."
    register(Registration("command", "bench", VERSION, summary, factory))
    from conformed_plugins.training.offers import offer_commands

    offer_commands(register, _maker_with_options, VERSION)


@hookimpl
def register_verifiers(register: Register) -> None:
    """Checks of short answers against a reference."""
    from conformed_plugins.verifiers.code.limits import CodeOptions
    from conformed_plugins.verifiers.options import (
        CalculationOptions,
        ClaimSupportOptions,
        NumericOptions,
        ProvenanceOptions,
        SchemaOptions,
        SymbolicOptions,
    )

    for name, summary, thing, options in (
        (
            "calculation",
            "Works a calculation trace again, exactly, from given figures.",
            "CalculationVerifier",
            CalculationOptions,
        ),
        (
            "claim_support",
            "Sentences made of the wordings of given claims, and of nothing else.",
            "ClaimSupportVerifier",
            ClaimSupportOptions,
        ),
        (
            "provenance",
            "Fields that quote given sources to the letter and show their values.",
            "ProvenanceVerifier",
            ProvenanceOptions,
        ),
        ("schema", "JSON against a JSON Schema and the right fields.", "SchemaVerifier", SchemaOptions),
        ("numeric", "Exact equality of numbers, ratios, money, percentages or dates.", "NumericVerifier", NumericOptions),
        ("symbolic", "Equality of formulas, sets, intervals and equations.", "SymbolicVerifier", SymbolicOptions),
    ):
        register(Registration("verifier", name, VERSION, summary, _maker_with_options(f"verifiers.{name}", thing), options))
    factory = _maker_with_options("verifiers.code.verifier", "CodeVerifier")
    register(Registration("verifier", "code", VERSION, "Programs against tests, in a sandbox.", factory, CodeOptions))


@hookimpl
def register_scorers(register: Register) -> None:
    """The three families: likelihood, learned and deterministic."""
    from conformed_plugins.scorers.options import LearnedOptions, TokenOptions

    _offer(register, "scorer", "recalculation", "The answer is the value of a given calculation (deterministic).",
           "scorers.recalculation", "RecalculationScorer")  # fmt: skip
    summary = "Log-probability of the response under its generator (likelihood)."
    factory = _maker_with_options("scorers.tokens", "TokenScorer")
    register(Registration("scorer", "tokens", VERSION, summary, factory, TokenOptions))
    for name, summary, thing in (
        ("outcome", "How right a whole response looks (learned).", "OutcomeScorer"),
        ("process", "How sound the weakest step looks (learned).", "ProcessScorer"),
    ):
        factory = _maker_with_torch(f"scorers.learned.{name}", thing)
        register(Registration("scorer", name, VERSION, summary, factory, LearnedOptions))


@hookimpl
def register_trackers(register: Register) -> None:
    """Whoever is told the figures of a run, beside its own folder."""
    from conformed_plugins.trackers.options import MlflowOptions, TrackioOptions

    for name, summary, thing, options in (
        ("mlflow", "Passes figures on to MLflow, into a database on this machine.", "MlflowTracker", MlflowOptions),
        ("trackio", "Passes figures on to trackio, into a database on this machine.", "TrackioTracker", TrackioOptions),
    ):
        register(Registration("tracker", name, VERSION, summary, _maker_with_options(f"trackers.{name}", thing), options))


@hookimpl
def register_trainers(register: Register) -> None:
    """Trainers of the learned scorers and of policies."""
    from conformed_plugins.scorers.options import TrainerOptions

    for name, summary, thing in (
        ("outcome-scorer", "Trains the outcome scorer on right and wrong responses.", "OutcomeTrainer"),
        ("process-scorer", "Trains the process scorer on sound and unsound steps.", "ProcessTrainer"),
    ):
        factory = _maker_with_torch("scorers.learned.training", thing)
        register(Registration("trainer", name, VERSION, summary, factory, TrainerOptions))
    from conformed_plugins.training.offers import offer_trainers

    offer_trainers(register, _maker_with_torch, VERSION)
