"""The runner: generates, extracts, normalises and verifies, each failing apart; what was generated is never generated again."""

from conformed.evaluation.runner.config import RunConfig, seed_of
from conformed.evaluation.runner.run import Progress, Run, evaluate, rescore
from conformed.evaluation.runner.stages import Generated, Stages, judged

__all__ = ["Generated", "Progress", "Run", "RunConfig", "Stages", "evaluate", "judged", "rescore", "seed_of"]
