"""A run of twelve durable steps with LangGraph on SQLite. Use: langgraph_step.py FOLDER RUNS. Prints microseconds of CPU a step."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from work import STEPS, Figure, calculate, first, governed, logger, report

LOG = logger()
WORK = governed(calculate)


def node(state: Figure) -> dict[str, Any]:
    """One step, after which LangGraph keeps a checkpoint."""
    made: Figure = WORK(state)
    LOG.info("step.ended", number=made.number, outcome="accept")
    return dict(made)


def main(folder: Path, runs: int) -> None:
    """Measures, each checkpoint written before the next step begins."""
    graph = StateGraph(Figure)
    names = [f"step_{number}" for number in range(STEPS)]
    for name in names:
        graph.add_node(name, node)
    for before, after in zip([START, *names], [*names, END], strict=True):
        graph.add_edge(before, after)
    with SqliteSaver.from_conn_string(str(folder / "langgraph.sqlite")) as saver:
        app = graph.compile(checkpointer=saver)

        def run(number: int) -> None:
            config = {"configurable": {"thread_id": f"run-{number}"}}
            assert app.invoke(first(), config, durability="sync")["number"] == STEPS

        report(run, runs)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
