"""Runs as logs that inspect_ai reads and its viewer opens, written by the standard library alone.

One file a method, in the log format version 2 of inspect_ai (JSON). Each sample of a method is a sample of the log: the item's id
and, as its epoch, the number of the sample from 1. A score is C, I or N (no answer: for a person); what failed is the sample's
error. The names of files hold no time of this machine: the same report gives the same bytes.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import re
from pathlib import Path
from typing import Any

from conformed.app.evaluating.choosing import Choice
from conformed.app.evaluating.report import EvaluationReport, MethodReport
from conformed.errors import UsageError
from conformed.evaluation.intervals import Proportion
from conformed.evaluation.items import Item, Result
from conformed.model.answer import Outcome
from conformed.model.base import Missing

__all__ = ["write_logs"]

_VALUE = {Outcome.CORRECT: "C", Outcome.INCORRECT: "I", Outcome.REVIEW: "N", Outcome.ERROR: "N"}
_SCORER = "conformed"
_ODD = re.compile(r"[^0-9A-Za-z]+")


def write_logs(report: EvaluationReport, folder: Path) -> None:
    """Writes one log a method into a folder, which is made where it is not there.

    Args:
        report: the evaluation.
        folder: where the logs are written; ones of the same name are replaced.

    Raises:
        UsageError: when they cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for method in report.methods:
            place, half = folder / _name(report, method), folder / f".{_id(report, method)}.part"
            half.write_text(json.dumps(_log(report, method), ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")
            half.replace(place)
    except OSError as problem:
        raise UsageError(f"The logs in {folder} cannot be written: {problem.strerror}.", "Give another folder.") from problem


def _name(report: EvaluationReport, method: MethodReport) -> str:
    """``2026-03-31T12-00-00-00-00_method_id.json``: as inspect_ai names its own, so that it lists them."""
    when = re.sub(r"[:+]", "-", _when(report))
    return f"{when}_{_ODD.sub('-', method.name).strip('-') or 'method'}_{_id(report, method)}.json"


def _when(report: EvaluationReport) -> str:
    return dt.datetime.fromisoformat(report.made_at).astimezone(dt.UTC).isoformat(timespec="seconds")


def _id(report: EvaluationReport, method: MethodReport) -> str:
    """22 letters and digits that depend on what was run and found."""
    parts = (report.title, report.data_digest, report.contract_digest, method.name, method.output)
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:22]


def _log(report: EvaluationReport, method: MethodReport) -> dict[str, Any]:
    model = f"{_SCORER}/{method.row.method.model_revision.replace(' ', '-')}"
    items = {item.id: item for item in report.items}
    choices = {choice.item: choice for choice in method.choices}
    failed = sum(one.outcome is Outcome.ERROR for one in method.results)
    given = sum(one.prompt_tokens for one in method.results)
    made = sum(one.response_tokens for one in method.results)
    usage = {model: _usage(given, made)}
    return {
        "version": 2,
        "status": "success",
        "eval": _spec(report, method, model),
        "plan": {"name": "plan", "steps": [{"solver": "generate", "params": {"samples": method.row.method.n}}], "config": {}},
        "results": {
            "total_samples": len(method.results),
            "completed_samples": len(method.results) - failed,
            "scores": [_score(method)],
        },
        "stats": {"started_at": _when(report), "completed_at": _when(report), "model_usage": usage},
        "samples": [_sample(items[one.item], one, choices[one.item], model) for one in method.results],
    }


def _spec(report: EvaluationReport, method: MethodReport, model: str) -> dict[str, Any]:
    return {
        "eval_id": _id(report, method),
        "run_id": hashlib.sha256(f"{report.title}\x1f{report.made_at}".encode()).hexdigest()[:22],
        "created": _when(report),
        "task": method.name,
        "task_id": _id(report, method),
        "task_version": 0,
        "task_display_name": f"{report.title}: {method.name}",
        "task_attribs": {},
        "task_args": dict(sorted(method.settings.items())),
        "task_args_passed": {},
        "dataset": {
            "name": report.data,
            "location": report.data,
            "samples": len(report.items),
            "sample_ids": [item.id for item in report.items],
            "shuffled": False,
        },
        "model": model,
        "model_args": {},
        "config": {"epochs": method.row.method.n},
        "packages": {},
        "metadata": {
            "contract": report.contract,
            "contract_sha256": report.contract_digest,
            "data_sha256": report.data_digest,
            "results_sha256": method.output,
            "seed": report.seed,
            "policy": method.row.method.policy,
            "decoding": method.row.method.decoding,
            "first_line": report.first_line,
        },
        "scorers": [{"name": _SCORER, "options": {}, "metadata": {}}],
    }


def _score(method: MethodReport) -> dict[str, Any]:
    """The metrics of the samples and of what the method chose; each with its interval."""
    metrics: dict[str, Any] = {}
    figures = [
        *(
            (name, getattr(method.samples, name))
            for name in ("accuracy", "coverage", "selective_accuracy", "review_rate", "error_rate")
        ),
        *((f"chosen_{name}", getattr(method.row.scores, name)) for name in ("accuracy", "coverage", "selective_accuracy")),
        ("chosen_wrong_among_given", method.row.quality.false_accepts),
    ]
    for name, share in figures:
        if isinstance(share, Proportion):
            low, high = share.interval
            metrics[name] = {
                "name": name,
                "value": share.value,
                "params": {},
                "metadata": {
                    "successes": share.successes,
                    "trials": share.trials,
                    "low": low,
                    "high": high,
                    "level": share.level,
                },
            }
    for one in method.pass_at:
        if not isinstance(one.mean, Missing):
            low, high = one.mean.interval
            metrics[f"pass_at_{one.k}"] = {
                "name": f"pass_at_{one.k}",
                "value": one.mean.value,
                "params": {},
                "metadata": {"items": one.mean.n, "low": low, "high": high, "level": one.mean.level, "method": one.mean.method},
            }
    told = sum(one.outcome is not Outcome.ERROR for one in method.results)
    return {
        "name": _SCORER,
        "scorer": _SCORER,
        "scored_samples": told,
        "unscored_samples": len(method.results) - told,
        "params": {},
        "metrics": metrics,
    }


def _sample(item: Item, one: Result, choice: Choice, model: str) -> dict[str, Any]:
    usage = _usage(one.prompt_tokens, one.response_tokens)
    said = [{"role": "assistant", "content": one.response, "source": "generate", "model": model}]
    found: dict[str, Any] = {
        "id": item.id,
        "epoch": one.sample + 1,
        "input": item.prompt,
        "target": item.reference,
        "messages": [{"role": "user", "content": item.prompt, "source": "input"}, *said],
        "output": {
            "model": model,
            "choices": [{"message": said[0], "stop_reason": "stop"}],
            "completion": one.response,
            "usage": usage,
            "time": one.latency_ms / 1000,
        },
        "scores": {},
        "metadata": {
            "split": item.split,
            "subject": item.subject,
            "difficulty": None if item.difficulty is None else str(item.difficulty),
            "form": item.form,
            "source": item.source,
            "source_revision": item.source_revision,
            "seed": one.seed,
        },
        "store": {},
        "events": [],
        "model_usage": {model: usage},
        "total_time": one.latency_ms / 1000,
        "attachments": {},
    }
    if one.outcome is Outcome.ERROR:
        found["error"] = {"message": one.code, "traceback": one.code, "traceback_ansi": one.code}
    else:
        found["scores"] = {_SCORER: _judged(one, choice)}
    return found


def _judged(one: Result, choice: Choice) -> dict[str, Any]:
    return {
        "value": _VALUE[one.outcome],
        "answer": one.answer,
        "explanation": one.code,
        "metadata": {
            "outcome": one.outcome.value,
            "normalised": one.normalised,
            "chosen": choice.sample == one.sample,
            "extractor": one.versions.extractor,
            "normaliser": one.versions.normaliser,
            "verifier": one.versions.verifier,
        },
    }


def _usage(given: int, made: int) -> dict[str, int]:
    return {"input_tokens": given, "output_tokens": made, "total_tokens": given + made}
