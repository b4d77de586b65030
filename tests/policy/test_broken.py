"""Each broken contract is refused at its place, in its words. The first line of a file is what is expected of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformed.errors import PolicyError
from conformed.policy.load import load_bytes, load_model, problems_of
from conformed.policy.schema import TaskContract

HERE = Path(__file__).parent
CONTRACT = sorted((HERE / "broken" / "contract").glob("*.yaml"))


def _expected(path: Path) -> str:
    first = path.read_bytes().split(b"\n", 1)[0].decode("utf-8-sig")
    assert first.startswith("# expects "), path.name
    return first.removeprefix("# expects ")


@pytest.mark.parametrize("path", CONTRACT, ids=lambda path: path.stem)
def test_a_contract_that_does_not_hold_together_is_refused(path: Path) -> None:
    """The refusal points at the very key and is the first that lint shows."""
    with pytest.raises(PolicyError) as caught:
        load_model(path, TaskContract)
    assert str(caught.value) == f"{path}:{_expected(path)}"
    first = problems_of(path.read_bytes(), TaskContract, name="x")[0]
    assert (first.line, first.column) == (caught.value.line, caught.value.column)


@pytest.mark.parametrize("path", CONTRACT, ids=lambda path: path.stem)
def test_the_file_is_broken_in_one_place_only(path: Path) -> None:
    """Without its one difference from a good file it would load, so that the test is about that difference."""
    bad = path.read_text().splitlines()[1:]
    good = (HERE / ("good_answers.yaml" if "application: short_answer" in bad else "good.yaml")).read_text().splitlines()
    assert load_bytes("\n".join(good).encode(), TaskContract, name="good").value.name in ("example", "short-answers")
    different = set(bad) ^ set(good)
    assert len(different) <= 4 or different == set(good[good.index("sampling:") :])
