"""The grammar: slots, groups of wordings, and how far they are apart."""

from __future__ import annotations

from itertools import combinations

import pytest

from conformed_plugins.training.items import Split
from conformed_plugins.training.synth.card import grammar
from conformed_plugins.training.synth.challenge import challenge_wordings, make_challenge
from conformed_plugins.training.synth.fields import make_fields
from conformed_plugins.training.synth.filling import written
from conformed_plugins.training.synth.near import NEAR, nearness, pairs_of, shingles
from conformed_plugins.training.synth.retention import make_retention, retention_wordings
from conformed_plugins.training.synth.values import OUTSIDE, TRAINING, Draw
from conformed_plugins.training.synth.wording import BANKS, wordings

GROUPS = ("sft", "grpo", "unseen", "final")


def test_hundreds_of_wordings_with_names_of_their_own() -> None:
    """At least 60 wordings of fields in every group, 500 in all, no template id twice and no text twice in a group."""
    rows = [row for group in grammar().values() for row in group]
    assert len(rows) >= 500
    assert len({name for name, _ in rows}) == len(rows)
    for bank in GROUPS:
        assert len({one.text for one in wordings(bank)}) == len(wordings(bank)) >= 60


@pytest.mark.parametrize("bank", GROUPS)
def test_every_value_is_in_the_clause_once_with_a_blank_before_it(bank: str) -> None:
    """Over the whole grammar and both ranges: a value begins with a blank, stands in the clause letter by letter, and once."""
    for wording in wordings(bank):
        for ranges in (TRAINING, OUTSIDE):
            for number in range(3):
                item = make_fields(wording, Split.SFT, Draw(f"{wording.name}/{number}", ranges))
                clause = item.prompt.partition("\n")[2]
                for key, value in item.facts["fields"].items():
                    if value:
                        assert value[0] == " ", (key, value)
                        assert value[1:] == value.strip(), (key, value)
                        assert clause.count(value) == 1, (item.template, key, clause)


def test_a_wording_without_a_slot_has_an_empty_field() -> None:
    """A core without a date has no date, one without a covenant has nothing; every other core has all four fields."""
    for bank in GROUPS:
        for wording in wordings(bank):
            fields = make_fields(wording, Split.SFT, Draw(wording.name)).facts["fields"]
            text = wording.core.text
            assert bool(fields["ratio"]) == bool(fields["direction"]) == bool(fields["level"]) == ("{R}" in text)
            assert bool(fields["date"]) == ("{T}" in text)


def test_no_part_of_a_wording_is_in_two_groups() -> None:
    """Openings, cores, sentences beside them, tails: a held-out wording has none of the parts of another group."""
    for first, second in combinations(BANKS.values(), 2):
        for one, other in (
            (first.openings, second.openings),
            ([core.text for core in first.cores], [core.text for core in second.cores]),
            ([text for _, text in first.besides if text], [text for _, text in second.besides if text]),
            ([text for text in first.tails if text], [text for text in second.tails if text]),
        ):
            assert not set(one) & set(other)


def test_held_out_wordings_are_no_near_duplicates() -> None:
    """No two wordings of different groups share a half of their shingles, the challenge set included."""
    pairs = pairs_of({name: [text for _, text in rows] for name, rows in grammar().items()})
    assert len(pairs) == 15
    assert [pair for pair in pairs if pair.near or pair.nearest >= NEAR] == []
    assert max(pair.nearest for pair in pairs if {pair.first, pair.second} <= set(GROUPS)) < NEAR / 2


def test_the_measure_of_nearness_sees_one_changed_word() -> None:
    """A sentence with one word changed is a near-duplicate; one that says it otherwise is none."""
    said = "The {who} shall not permit the {R} as of {T} to {Dto} {L}, measured on a group basis."
    near = said.replace("permit", "allow")
    far = "At the close of {T}, measured on a group basis, a {R} of {Dof} {L} is a duty of the {who}."
    assert nearness(shingles(said), shingles(near)) >= NEAR
    assert nearness(shingles(said), shingles(far)) < NEAR
    assert nearness(shingles(said), shingles(said.replace("{R}", "{r1}"))) == 1


def test_an_article_fits_its_figure() -> None:
    """Before a figure that begins with a vowel stands "an", before any other "a", and elsewhere nothing is changed."""
    assert written("A {R} and a {r1}; a {who}", {"R": "Interest Cover", "r1": "Net Leverage Ratio", "who": "Issuer"}) == (
        "An Interest Cover and a Net Leverage Ratio; a Issuer"
    )


def test_challenge_and_retention_values_are_copied_too() -> None:
    """Every value of the challenge and the retention set stands in its clause after a blank; a level of a clash is empty."""
    for wording in challenge_wordings():
        item = make_challenge(wording, Split.CHALLENGE, Draw(wording.name))
        values = item.facts["fields"]
        assert all(not value or value in item.prompt for value in values.values()), item.prompt
        assert (values["level"] == "") == (wording.kind in {"missing_amendment", "conflict"})
    for retained in retention_wordings():
        item = make_retention(retained, Split.RETENTION, Draw(retained.name))
        assert any(item.facts["fields"].values())
        assert all(not value or item.prompt.count(value) == 1 for value in item.facts["fields"].values())


def test_no_wording_of_values_lies_in_the_ranges_of_training() -> None:
    """Levels, years and amounts of the split ``values`` are outside those of every other split."""
    inside = {level for low, high in TRAINING.levels for level in range(low, high + 1, 5)}
    outside = {level for low, high in OUTSIDE.levels for level in range(low, high + 1, 5)}
    assert not inside & outside
    assert TRAINING.years[1] < OUTSIDE.years[0]
    assert TRAINING.amounts[1] < OUTSIDE.amounts[0]
