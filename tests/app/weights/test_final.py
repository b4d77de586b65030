"""The final set is used once by a family of weights: recorded before its results, refused a second time, and one use has one result."""

from __future__ import annotations

from typing import Any

import pytest
from weights_house import ALIAS, DATA, GATES, WeightsHouse, counts

from conformed.errors import UsageError
from conformed.model.weights_report import Decoding


def test_the_use_is_recorded_and_published_before_a_result(house: WeightsHouse) -> None:
    """The report that is needed has no final split; after it the log names who, when and for which weights."""
    found = house.desk("anna").final(house.weights(), house.report(), GATES)
    assert (found.use.who, found.use.manifest, found.use.dataset, found.publication) == (
        "anna",
        house.manifest(),
        DATA,
        "published",
    )
    assert found.also_used == ()
    with house.desk("anna")._log(create=False) as log:
        assert [(one.leaf, one.step) for one in log.records("final-set:covenants")] == [(found.use.use, "final_set.used")]


@pytest.mark.parametrize(("name", "who"), [("first", "anna"), ("second", "bruno")])
def test_a_second_use_is_refused_with_whom_and_when(house: WeightsHouse, name: str, who: str) -> None:
    """Whoever asks, for the same or for other weights of the family: refused, with who used it, when, and the use itself."""
    use = house.use()
    with pytest.raises(UsageError, match=rf"was used for covenants by anna on 2026-03-02T12:\d\dZ, .*use {use}") as refused:
        house.desk(who).final(house.weights(name), house.report(name), GATES)
    assert "another seed" in refused.value.mend
    assert house.records() == 1


def test_another_family_is_warned(house: WeightsHouse) -> None:
    """The same set is a second time in the world when another family uses it: allowed, and told with whom and when."""
    house.use()
    found = house.desk("clara").final(house.weights("second"), house.report("second", family="others"), GATES)
    assert [(one.family, one.who) for one in found.also_used] == [("covenants", "anna")]


def test_a_result_that_is_there_before_the_use_is_refused(house: WeightsHouse) -> None:
    """A report with final counts, or one that names a use, is no report from before."""
    with pytest.raises(UsageError, match="has results of the split final already"):
        house.desk("anna").final(house.weights(), house.report(also=(counts("final"),)), GATES)
    with pytest.raises(UsageError, match="has results of the split final already"):
        house.desk("anna").final(house.weights(), house.report(use="f" * 64), GATES)
    assert house.records() == 0


def test_a_proposal_rests_on_a_use(house: WeightsHouse) -> None:
    """Without a use, with one that the log has not, or with one of other weights, data or family nothing is proposed."""
    desk = house.desk("anna")
    final = tuple(counts("final", way) for way in Decoding)
    with pytest.raises(UsageError, match="names no use of the final set"):
        desk.propose(ALIAS, house.weights(), house.report(also=final), GATES)
    use = house.use()
    wrong: dict[str, dict[str, Any]] = {
        "The log has no use": {"use": "f" * 64}, "of the manifest": {"name": "second", "use": use},
        "of the data set": {"use": use, "data": "e" * 64}, "of the family": {"use": use, "family": "others"},
    }  # fmt: skip
    for said, other in wrong.items():
        with pytest.raises(UsageError, match=said):
            desk.propose(ALIAS, house.weights(other.get("name", "first")), house.report(**other), GATES)
    assert house.records() == 1


def test_other_splits_are_not_counted_anew_after_it(house: WeightsHouse) -> None:
    """The counts on all other splits are those with which the final set was opened."""
    use = house.use()
    with pytest.raises(UsageError, match="counts another thing on the splits before"):
        house.desk("anna").propose(ALIAS, house.weights(), house.report(use=use, right=991), GATES)


def test_one_use_has_one_result(house: WeightsHouse) -> None:
    """A second, better result of the same use is refused, also for another name; the same result may be proposed for another."""
    use = house.use()
    desk = house.desk("anna")
    desk.propose(ALIAS, house.weights(), house.report(use=use), GATES)
    with pytest.raises(UsageError, match="Other results of the use"):
        desk.propose("other-name", house.weights(), house.report(use=use, where="final", right=995), GATES)
    assert desk.propose("other-name", house.weights(), house.report(use=use), GATES).already is False
    assert [one.alias for one in desk.aliases()] == [ALIAS, "other-name"]
