"""What a run with overrides is made of, from the log alone: the same for the run itself and for its replay."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from conformed.app.binding import Bound
from conformed.app.options import Progress
from conformed.app.overrides.override_papers import Added, add_papers
from conformed.app.overrides.override_record import papers_kept
from conformed.app.overrides.overriding import Again, Recorded, Rerun, recorded_run, with_overrides
from conformed.app.reading import PackFiles
from conformed.app.running import Course, calculated
from conformed.engine.log import Log
from conformed.engine.manifest import Evidence
from conformed.engine.slots import Calculated
from conformed.engine.workflow import Workflow
from conformed.hooks import Registry
from conformed.model.decision import Effective
from conformed.model.document import Document
from conformed.model.operation import Extraction
from conformed.model.override import Override
from conformed.model.pack import CaseFile

__all__ = ["again_of", "papers_of", "root_of", "workflow_again"]


def root_of(log: Log, run: Recorded) -> Recorded:
    """The run of the pack itself from which a run with overrides descends."""
    while run.request.earlier:
        run = recorded_run(log, run.request.earlier)
    return run


def papers_of(log: Log, run: Recorded) -> dict[str, bytes]:
    """Every paper that the overrides of a run, and of the runs behind it, added."""
    found = papers_kept(log, run.run)
    while run.request.earlier:
        run = recorded_run(log, run.request.earlier)
        found = {**papers_kept(log, run.run), **found}
    return found


def again_of(log: Log, earlier: Recorded, *, bound: Bound, overrides: tuple[Override, ...], added: Sequence[Added]) -> Again:
    """What a run is done again from: the reading of the first run, every paper added since, and every fact that still counts.

    Args:
        log: the log.
        earlier: the run that is overridden.
        bound: the contract with its plugins.
        overrides: all that count, in their fixed order.
        added: papers that are added now.
    """
    root = root_of(log, earlier)
    kept = papers_of(log, earlier)
    before = [
        Added(document, kept.get(document.name, b""))
        for document in earlier.case.documents
        if document.name not in {one.name for one in root.case.documents}
    ]
    case, retrieved, extraction = add_papers(bound, root.case, root.retrieved, root.extraction, (*before, *added), overrides)
    return Again(case=case, retrieved=retrieved, extraction=extraction, overrides=overrides, earlier=earlier.decision)


def _nothing_is_kept(_document: Document) -> None:
    """No document is read."""


def workflow_again(
    again: Again, earlier: Recorded, root: Recorded, *, bound: Bound, registry: Registry, progress: Progress
) -> Workflow:
    """The steps of a run with overrides.

    Args:
        again: what it is done again from.
        earlier: the run that is overridden.
        root: the run whose reading is used.
        bound: the contract with its plugins.
        registry: every plugin.
        progress: told of each step.
    """
    asked, contract = earlier.request, bound.contract.contract
    evidence = Evidence(files=(), refusals=(), unlisted=(), digest=asked.pack_digest)
    course = Course(
        bound, registry, PackFiles(asked.pack, again.case.manifest, evidence), Path(asked.pack_path), progress, _nothing_is_kept
    )

    def work(effective: Effective, extraction: Extraction, case: CaseFile) -> Calculated:
        return calculated(effective, extraction, case, contract.headroom_alert, contract.formulas)

    return with_overrides(course.workflow(asked.question), again, Rerun(again, work), root.run)
