"""What an evaluation reports, as data: the page, the terminal and the JSON file all say this and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from conformed.app.evaluating.choosing import Choice
from conformed.compute.agreement import AgreementTable
from conformed.compute.diversity import DiversityRow
from conformed.compute.experiment import ExperimentRow
from conformed.compute.frontier import Frontier
from conformed.compute.selection import BestOfN
from conformed.compute.utility import Utility
from conformed.evaluation.calibration import Calibration
from conformed.evaluation.contamination import Contamination
from conformed.evaluation.intervals import Estimate
from conformed.evaluation.items import Item, Result
from conformed.evaluation.lineage import Lineage
from conformed.evaluation.metrics import Scores
from conformed.evaluation.paired import Comparison as Paired
from conformed.evaluation.risk import RiskCurve
from conformed.evaluation.slices import SlicePlan, SliceRow
from conformed.model.base import Frozen, Missing
from conformed.policy.comparison import Values

__all__ = ["EvaluationReport", "MethodReport", "PassAtK"]


class PassAtK(Frozen):
    """pass@k over the items."""

    k: int
    """Samples drawn."""
    mean: Estimate | Missing
    """Mean over the items, with its bootstrap interval."""


class MethodReport(Frozen):
    """One method."""

    name: str
    """Its name."""
    kind: str
    """Which baseline it is, or ``other``."""
    settings: Mapping[str, str]
    """All that makes it what it is, as text: the exact prompt, backend, decoding, tool."""
    row: ExperimentRow
    """What it is, and its figures."""
    samples: Scores
    """Every sample by itself, before any choice."""
    pass_at: tuple[PassAtK, ...]
    """pass@k for 1, 2, 4 ... samples."""
    utility: Utility | Missing
    """By the owner's values, per item; Missing where none were entered."""
    slices: tuple[SliceRow, ...]
    """By the declared slices, of the answers that were chosen."""
    agreement: Calibration | Missing
    """The share of samples that agree with the answer, as a confidence that it is right; Missing for one sample."""
    agreed: tuple[AgreementTable, ...]
    """What a vote's share meant here, a table for each subject; each holds for its own conditions alone. None for one sample."""
    diversity: DiversityRow | Missing
    """How different the samples are, beside accuracy and valid outputs; Missing for one sample."""
    risk: RiskCurve | Missing
    """Risk against coverage by that share; Missing for one sample."""
    best_of: BestOfN | Missing
    """Ways of choosing among its samples; Missing for one sample."""
    against: Paired | Missing
    """The same items under the cheap method (before) and under this one (after); Missing for the cheap one itself."""
    choices: tuple[Choice, ...]
    """What it gave for each item."""
    results: tuple[Result, ...]
    """Every judged sample, raw text included."""
    folder: str
    """Folder of the run, beside the report."""
    output: str
    """SHA-256 of its results."""


class EvaluationReport(Frozen):
    """One evaluation."""

    shape: Literal["conformed.evaluation/1"] = "conformed.evaluation/1"
    """Version of this shape."""
    title: str
    """Its name."""
    first_line: str
    """What a reader must know first: whether the cheap method is enough."""
    made_at: str
    """When, UTC, by the injected clock."""
    contract: str
    """Name and version of the task contract whose verifiers judged."""
    contract_digest: str
    """SHA-256 of its bytes."""
    data: str
    """The data set's file name."""
    data_digest: str
    """SHA-256 of its bytes."""
    seed: int
    """Seed of the responses, the bootstrap and the random row."""
    values: Values | Missing
    """What the owner said that outcomes are worth; Missing where nothing was entered."""
    plan: SlicePlan
    """The slices, declared before the run."""
    items: tuple[Item, ...]
    """The items."""
    lineage: Lineage | Missing
    """Where the items come from, and what they influenced."""
    contamination: Contamination | Missing
    """Same and near-same pieces across splits; Missing where there is one split."""
    methods: tuple[MethodReport, ...]
    """The methods, in the order in which they were declared."""
    frontier: Frontier
    """Methods that nothing beats on everything at once."""
    cheap: str
    """The method that is asked first whether it is enough; of one method itself."""
