"""What a contract of each application must and must not say, beyond what every contract says."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformed.policy.refused import RefusedError
from conformed.policy.steps import CORE_CHECK, Application, StepName, fit

if TYPE_CHECKING:
    from conformed.policy.schema import Step, TaskContract

__all__ = ["check_application"]


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What an application asks of its contracts."""

    record: str
    results: Collection[str]
    check: StepName
    own_check: str | None
    must: Sequence[str]
    must_not: Sequence[str]


_WANTED: Mapping[Application, _Wanted] = {
    Application.COVENANT: _Wanted(
        "conformed.decision/1",
        ("pass", "breach", "not_tested", "review"),
        StepName.CLAIM_CHECK,
        CORE_CHECK,
        (),
        ("sampling",),
    ),
    Application.SHORT_ANSWER: _Wanted(
        "conformed.answer/1",
        ("answered", "review"),
        StepName.VERIFY,
        None,
        ("sampling",),
        ("headroom_alert", "formulas", "templates"),
    ),
}


def check_application(contract: TaskContract) -> None:
    """Checks steps, record, results, verifier and keys against the application.

    Raises:
        RefusedError: with the path of the first thing that does not fit.
    """
    application = contract.application
    fit(contract.steps, application)
    wanted = _WANTED[application]
    if contract.answer.record != wanted.record:
        raise RefusedError(
            f"the record {contract.answer.record} is none of a {application} contract",
            f"Write {wanted.record}.",
            ("answer", "record"),
        )
    for index, result in enumerate(contract.answer.results):
        if result not in wanted.results:
            raise RefusedError(
                f"{result!r} is no result of a {application} contract",
                f"Results: {', '.join(wanted.results)}.",
                ("answer", "results", index),
            )
    for name in wanted.must:
        if getattr(contract, name) is None:
            raise RefusedError(f"a {application} contract says nothing of {name}", f"Add {name}.", ())
    for name in wanted.must_not:
        if getattr(contract, name):
            raise RefusedError(f"{name} has no meaning in a {application} contract", "Take it out.", (name,))
    step: Step = contract.step(wanted.check)
    if contract.verifier != wanted.own_check and contract.verifier not in {ref.plugin for ref in step.uses}:
        mend = f"Add it there, or write {wanted.own_check}." if wanted.own_check else "Name one that is used there."
        raise RefusedError(f"the verifier {contract.verifier!r} is not used in {wanted.check}", mend, ("verifier",))
