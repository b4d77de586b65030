"""An example plugin for Conformed: one small part for every hook. All registrations stand in this file."""

from collections.abc import Mapping

from conformed.hooks import Register, Registration, WrittenRecord, hookimpl
from conformed_plugin_hello import finding, models, outside, reading, watching, wording

__all__ = ["CONFORMED_API"]

CONFORMED_API = 1
"""Version of the hooks for which this plugin was written."""


@hookimpl
def register_readers(register: Register) -> None:
    """A reader of the toy format ``.memo``."""
    register(Registration("reader", "memo", "1.0.0", "Reads .memo files: a marked first line, then plain text.", reading.make))


@hookimpl
def register_retrievers(register: Register) -> None:
    """A retriever that leaves nothing out."""
    register(Registration("retriever", "everything", "1.0.0", "Takes each document as one passage.", finding.make_retriever))


@hookimpl
def register_extractors(register: Register) -> None:
    """An extractor of one form of sentence."""
    summary = "Finds sentences of the form 'NAME shall not exceed N.NN to 1.00'."
    register(Registration("extractor", "one-sentence", "1.0.0", summary, finding.make_extractor))


@hookimpl
def register_drafters(register: Register) -> None:
    """A drafter with plainer words than the built-in one."""
    summary = "Puts each claim into one short sentence."
    register(Registration("drafter", "plain-words", "1.0.0", summary, wording.make_drafter, wording.DrafterOptions))


@hookimpl
def register_verifiers(register: Register) -> None:
    """A further check of sentences."""
    summary = "Sends sentences that are too long to a person."
    register(Registration("verifier", "short-sentences", "1.0.0", summary, wording.make_verifier, wording.VerifierOptions))


@hookimpl
def register_backends(register: Register) -> None:
    """A backend without a model."""
    register(Registration("backend", "echo", "1.0.0", "Gives the last line of the prompt back; for tests.", models.make_backend))


@hookimpl
def register_scorers(register: Register) -> None:
    """A score that anybody can work out by hand."""
    register(Registration("scorer", "brevity", "1.0.0", "Scores shorter texts higher, exactly.", models.make_scorer))


@hookimpl
def register_trainers(register: Register) -> None:
    """A trainer that keeps a diary and trains nothing."""
    register(Registration("trainer", "dry-run", "1.0.0", "Goes through a plan and writes its diary.", models.make_trainer))


@hookimpl
def register_executors(register: Register) -> None:
    """An executor for one process."""
    register(Registration("executor", "one-by-one", "1.0.0", "Runs jobs one after the other.", outside.make_executor))


@hookimpl
def register_sinks(register: Register) -> None:
    """A sink for a folder, on another disk for instance."""
    summary = "Stores checkpoints as files of a folder, never over one another."
    register(Registration("sink", "folder", "1.0.0", summary, outside.make_sink, outside.FolderOptions))


@hookimpl
def register_trackers(register: Register) -> None:
    """A tracker that writes lines."""
    summary = "Appends figures to a text file."
    register(Registration("tracker", "lines", "1.0.0", summary, outside.make_tracker, outside.FileOptions))


@hookimpl
def register_commands(register: Register) -> None:
    """A further command."""
    register(Registration("command", "hello", "1.0.0", "Greets; shows how a command is added.", outside.make_command))


@hookimpl
def check_policy(contract: Mapping[str, object]) -> list[str]:
    """Refuses a contract that keeps scratch text. It asks for ``contract`` alone, which a hook may."""
    return watching.objections(contract)


@hookimpl
def record_written(record: WrittenRecord) -> None:
    """Counts records by kind."""
    watching.count(record)
