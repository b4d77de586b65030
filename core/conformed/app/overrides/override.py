"""Overriding a run: one place through which every override goes, so that who may give one can be decided there."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from importlib.metadata import version

from conformed.app.binding import Bound
from conformed.app.keeping.operational import Event, say, watching
from conformed.app.options import Progress, RunOptions
from conformed.app.overrides.override_course import again_of, root_of, workflow_again
from conformed.app.overrides.override_papers import Added, with_files
from conformed.app.overrides.override_record import WithOverrides
from conformed.app.overrides.override_words import read_override
from conformed.app.overrides.overriding import Again, Recorded, recorded_run
from conformed.app.people.standing import standing_after
from conformed.app.service import Service
from conformed.engine.journal import Journal
from conformed.engine.kept import keep_contract
from conformed.engine.log import Identity, Log
from conformed.engine.machine import Machine
from conformed.errors import JournalError, UsageError
from conformed.model.calculation import Certificate
from conformed.model.codes import code_class
from conformed.model.decision import Decision, Reason, Result
from conformed.model.override import CALCULATION, MAY_ANSWER, CounselReading, Override, ResultRejected, ReviewConfirmed
from conformed.policy.may import Action
from conformed.rules.attested.attested import in_fixed_order

__all__ = ["Overrides"]

_DOCUMENTS = frozenset({
    "override_cp_evidence_seen", "override_execution_seen", "override_input_corrected", "override_mapping_corrected",
    "override_target_confirmed",
})  # fmt: skip
"""Kinds whose subject is a document."""
_MOST = 40


class Overrides(Service):
    """Overrides runs of a workspace. The earlier run stays as it was; what comes of an override is another run."""

    def override(
        self, run: str, given: Sequence[Mapping[str, str]], *, by: str | None, policy: str | None, progress: Progress
    ) -> Decision:
        """Takes overrides of a run, does the run again with them from what it had read, and gives the new decision.

        Args:
            run: the run that is overridden.
            given: the overrides, each by its fields as typed.
            by: who gives them; None for whoever is at the keys. Who types for another acts on that person's behalf.
            policy: the contract of the run, as ``run`` takes it; None for the workspace's own.
            progress: told of each step.

        Raises:
            ConformedError: when an override cannot be taken as typed, or the log cannot be read or written.
        """
        if not given:
            raise UsageError("No override is given.", "Give --code CODE with its facts, or --from FILE.")
        if len(given) > _MOST:
            raise UsageError(f"{len(given)} overrides are given at once; at most {_MOST} are taken.", "Give them in parts.")
        with self._log(create=False) as log:
            earlier = recorded_run(log, run)
            bound = self._bound(RunOptions(policy=policy))
            if bound.contract.digest != earlier.request.contract_digest:
                raise UsageError(
                    f"Run {run} was done under {earlier.request.contract}, of which this workspace has other bytes.",
                    "Name that contract with --policy, or run the pack again and override that run.",
                )
            at = self._clock().astimezone(dt.UTC)
            guard = self._guard(log, bound.contract.contract, bound.contract.digest)
            typed = [_held_against(read_override(one, by=guard.name if by is None else by, at=at), earlier) for one in given]
            new, added = with_files(typed, earlier.case.documents, bound.readers())
            facts = tuple(o for o in earlier.request.overrides if not isinstance(o, ReviewConfirmed | ResultRejected))
            again = again_of(log, earlier, bound=bound, overrides=in_fixed_order((*facts, *new)), added=added)
            permit = guard.permit(Action.OVERRIDE, earlier.case_id, run=run, by=by or "")
            writer = guard.writer(permit)
            decision = self._run_again(writer, earlier, again, bound=bound, papers=new, added=added, progress=progress)
            self.standing = standing_after(log, guard, earlier.case_id, decision.run, self.publish_log(log))
        return decision

    def _run_again(
        self, log: Log, earlier: Recorded, again: Again, *, bound: Bound, papers: tuple[Override, ...], added: Sequence[Added],
        progress: Progress,
    ) -> Decision:  # fmt: skip
        """Begins and carries out the run that uses the overrides."""
        registry = self._loaded()
        workflow = workflow_again(again, earlier, root_of(log, earlier), bound=bound, registry=registry, progress=progress)
        identity = Identity(
            case=earlier.case_id,
            run=self._ids(),
            engine=f"conformed {version('conformed')}",
            contract=workflow.digest,
            plugins=f"sha256:{registry.manifest_digest()}",
        )

        request = earlier.request.model_copy(update={"earlier": earlier.run, "overrides": again.overrides})
        log_of_both = WithOverrides(log, identity, papers, earlier, added)
        machine = Machine(workflow, Journal(log_of_both, identity), progress=watching(progress, identity.run, identity.case))
        record = machine.begin(request, registry.manifest(), (keep_contract(bound.contract.data),)).record
        if not isinstance(record, Decision):
            raise JournalError("The record of the run is not a decision.", "Verify the log.")
        say(Event.RUN_ENDED, run=identity.run, result=record.result.value)
        return record


def _held_against(override: Override, earlier: Recorded) -> Override:
    """An override held against the run that it answers: it must answer something of it that one of its kind can settle.

    Raises:
        UsageError: when it does not.
    """
    decision = earlier.decision
    said = (*decision.reasons, *decision.findings)
    names = sorted({one.name for one in decision.checks} & {CALCULATION} | {r.code for r in said})
    if override.answers not in names:
        is_open = sorted({r.code for r in said if code_class(r.code) == "review"})
        raise UsageError(
            f"Run {earlier.run} has no code {override.answers!r} to answer.", f"Open in it: {', '.join(is_open) or 'nothing'}."
        )
    may = MAY_ANSWER.get(override.code)
    if may is not None and override.answers not in may:
        raise UsageError(f"{override.code} cannot settle {override.answers}.", f"It may answer: {', '.join(sorted(may))}.")
    override = _about(override, said, earlier)
    if isinstance(override, ReviewConfirmed) and (
        decision.result is not Result.REVIEW or code_class(override.answers) != "review"
    ):
        raise UsageError(
            f"{override.answers} is not open in run {earlier.run}.", "Only what is open can be confirmed to stay open."
        )
    if not isinstance(override, CounselReading):
        return override
    count = len(decision.candidates)
    if override.reading > count:
        raise UsageError(
            f"Run {earlier.run} shows {count or 'no'} readings; there is no reading {override.reading}.",
            "Counsel may only choose among the readings that the run shows, counted from 1.",
        )
    chosen = decision.candidates[override.reading - 1]
    return override.model_copy(update={"run": earlier.run, "chosen": chosen})


def _about(override: Override, said: Sequence[Reason], earlier: Recorded) -> Override:
    """The override with its subject: as typed, or the one thing that the code it answers is about."""
    subjects = sorted({r.subject for r in said if r.code == override.answers})
    documents = {one.name for one in earlier.case.documents}
    fitting = [s for s in subjects if override.code not in _DOCUMENTS or s in documents]
    subject = override.subject or (fitting[0] if len(fitting) == 1 else "")
    if override.code not in _DOCUMENTS:
        if isinstance(override, CounselReading) and subject not in subjects:
            raise UsageError(
                f"{override.answers} is not about {subject or 'one thing'} in run {earlier.run}.",
                f"Name with --subject what it is about: {', '.join(s or 'nothing by name' for s in subjects)}.",
            )
        return override.model_copy(update={"subject": subject})
    if not subject and isinstance(earlier.decision.certificate, Certificate):
        subject = earlier.decision.certificate.document if "figure" in type(override).model_fields else subject
    if subject not in documents:
        raise UsageError(
            f"{subject!r} is no document of run {earlier.run}."
            if subject
            else f"It is not said which document {override.code} is about.",
            f"Name it with --subject: {', '.join(sorted(documents))}.",
        )
    about = documents & set(subjects)
    if (
        code_class(override.answers) == "review"
        and "figure" not in type(override).model_fields
        and about
        and subject not in about
    ):
        raise UsageError(
            f"{override.answers} is not about {subject} in run {earlier.run}.", f"It is about: {', '.join(sorted(about))}."
        )
    return override.model_copy(update={"subject": subject})
