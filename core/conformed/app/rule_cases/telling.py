"""A report of rule cases in words: a line a case, the fields that are not right under it, and totals."""

from __future__ import annotations

from collections.abc import Iterator

from conformed.app.rule_cases.outcome import CaseResult, FieldOutcome, FileResult, Report, Verdict

__all__ = ["lines_of"]

_VERDICTS = {
    Verdict.RIGHT: "right",
    Verdict.PARTLY: "PARTLY",
    Verdict.WRONG: "WRONG",
    Verdict.FAILED: "FAILED",
}
_OUTCOMES = {
    FieldOutcome.UNSTATED: "the words do not say",
    FieldOutcome.MISSING: "not given",
}


def lines_of(report: Report) -> list[str]:
    """All lines of a report."""
    return [line for file in report.files for line in _file(file)]


def _file(file: FileResult) -> Iterator[str]:
    yield f"{file.file}: {file.kind}"
    for case in file.cases:
        yield from _case(case)
    right, compared = file.counts
    determined = sum(bool(c.determined_wrong) for c in file.cases)
    partly = sum(c.verdict is Verdict.PARTLY for c in file.cases)
    yield f"  {file.right} of {len(file.cases)} right in every field, {partly} partly; {right} of {compared} fields right; determined wrong: {determined}."


def _case(case: CaseResult) -> Iterator[str]:
    yield f"  {case.id:<6} {_VERDICTS[case.verdict]:<7} {case.title}".rstrip()
    for field in case.fields:
        if field.outcome is FieldOutcome.WRONG:
            yield f"           {field.field}: expected {field.expected}; got {field.got}"
        elif field.outcome is not FieldOutcome.RIGHT:
            got = f" ({field.got})" if field.got != "nothing" else ""
            yield f"           {field.field}: expected {field.expected}; {_OUTCOMES[field.outcome]}{got}"
    if case.verdict is not Verdict.RIGHT and case.doubts:
        yield f"           doubts: {', '.join(case.doubts)}"
    if case.note:
        yield f"           {case.note}"
