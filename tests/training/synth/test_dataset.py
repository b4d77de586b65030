"""The data set: the same bytes from the same seed, splits apart, nothing altered unseen."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from conformed.errors import GivenTypeError, GivenValueError
from conformed.language.dates import find_dates
from conformed.language.ratios import find_ratios
from conformed_plugins.training.items import Split, Task
from conformed_plugins.training.synth.dataset import RETENTION_EVERY, DataSet, _Taken, make, read
from conformed_plugins.training.synth.fields import item_id
from conformed_plugins.training.synth.near import shared_prompts
from conformed_plugins.training.synth.values import OUTSIDE, TRAINING, Ranges

SMALL = dict.fromkeys(Split, 40)
_PROGRAM = (
    "from conformed_plugins.training.items import Split;from conformed_plugins.training.synth.dataset import make;"
    "print(make(3, dict.fromkeys(Split, 40)).digest)"
)


def test_same_seed_same_bytes_in_every_process() -> None:
    """Two processes with other hash seeds, and this one, make the same digest; another seed makes another."""
    digests = {make(3, SMALL).digest}
    for hash_seed in ("0", "4711"):
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        )
        digests.add(done.stdout.strip())
    assert len(digests) == 1
    assert make(4, SMALL).digest not in digests


def test_the_digest_is_the_one_that_was_published() -> None:
    """The grammar does not change unseen: who changes it writes the new digest here, and says so in the changelog."""
    assert make(3, SMALL).digest == "952d3142c567d0c77c37ecd76c0c89818782069f4e4a52abd67c66524c3076ce"


def test_more_items_begin_with_the_fewer() -> None:
    """A larger count leaves the first items as they were."""
    assert make(3, {Split.SFT: 400}).items(Split.SFT)[:40] == make(3, {Split.SFT: 40}).items(Split.SFT)


def test_ids_are_those_of_the_text(data: DataSet) -> None:
    """An id is the hash of task, prompt and answer, and no id and no prompt is there twice in all splits."""
    items = [item for split in data.by_split.values() for item in split]
    assert all(item.id == item_id(item.task, item.prompt, item.answer) for item in items)
    assert len({item.id for item in items}) == len({item.prompt for item in items}) == len(items)


def test_wordings_of_splits(data: DataSet) -> None:
    """Known and values use wordings of sft alone, grpo_known those of grpo; every other split has wordings of its own."""
    used = {split: {item.template for item in items} for split, items in data.by_split.items()}
    assert used[Split.KNOWN] | used[Split.VALUES] | used[Split.RETENTION] <= used[Split.SFT]
    assert used[Split.GRPO_KNOWN] <= used[Split.GRPO]
    own = (Split.SFT, Split.GRPO, Split.UNSEEN, Split.CHALLENGE, Split.FINAL)
    assert sum(len(used[split]) for split in own) == len(set().union(*(used[split] for split in own)))


def test_every_wording_comes_up_as_often() -> None:
    """Within a split the wordings of a task take turns: none is there two times more than another."""
    for split, task in ((Split.GRPO, Task.FIELDS), (Split.UNSEEN, Task.TRACE), (Split.FINAL, Task.CLAUSE)):
        counts = Counter(item.template for item in make(1, {split: 250}, (task,)).items(split))
        assert max(counts.values()) - min(counts.values()) <= 1


def _inside(ranges: Ranges, text: str) -> bool:
    levels = [int(one.value * 100) for one in find_ratios(text) if one.value and one.form != "percent"]
    years = [one.date.year for one in find_dates(text)]
    return all(any(low <= level <= high for low, high in ranges.levels) for level in levels) and all(
        ranges.years[0] <= year <= ranges.years[1] for year in years
    )


def test_values_are_outside_of_training(data: DataSet) -> None:
    """In ``values`` every level and year of a clause is outside the ranges of training; elsewhere every one is inside."""
    for split, items in data.by_split.items():
        for item in items:
            if item.task is Task.FIELDS and split is not Split.CHALLENGE and not item.template.startswith("retention/"):
                assert _inside(OUTSIDE if split is Split.VALUES else TRAINING, item.prompt.partition("\n")[2]), item.prompt


def test_supervised_training_sees_what_is_to_be_retained() -> None:
    """One item in eight of sft is other extraction; no other split but retention has any."""
    data = make(2, dict.fromkeys(Split, 80), (Task.FIELDS,))
    for split in Split:
        others = sum(item.template.startswith("retention/") for item in data.items(split))
        assert others == {Split.SFT: 80 // RETENTION_EVERY, Split.RETENTION: 80}.get(split, 0)


def test_tasks_take_turns(data: DataSet) -> None:
    """Each task has a quarter of a split with four tasks, and all of one with one."""
    assert Counter(item.task for item in data.items(Split.UNSEEN)) == dict.fromkeys(Task, 100)
    assert {item.task for item in make(1, {Split.SFT: 20}, (Task.TRACE,)).items(Split.SFT)} == {Task.TRACE}


def test_the_same_question_is_not_asked_twice() -> None:
    """More items than a wording has answers: what was there is drawn again and counted; what cannot be had is refused by name."""
    data = make(1, {Split.RETENTION: 6000})
    assert data.removed["exact"] > 0
    assert len({item.prompt for item in data.items(Split.RETENTION)}) == 6000
    with pytest.raises(GivenValueError, match=r"The wording retention/sft/\d+ gives no further item"):
        make(1, {Split.RETENTION: 40_000})


def test_another_sentence_beside_it_makes_no_new_question(data: DataSet) -> None:
    """The same wording with the same answer is a near-duplicate, whatever else the clause says; another answer is none."""
    taken = _Taken()
    for task in (Task.FIELDS, Task.TRACE):
        first = next(item for item in data.items(Split.GRPO) if item.task is task)
        assert taken.admits(first)
        assert not taken.admits(dataclasses.replace(first, prompt=f"{first.prompt} Another date."))
        assert taken.admits(dataclasses.replace(first, prompt=f"{first.prompt} Another day.", answer="{}"))
    assert taken.removed == {"exact": 0, "near": 2}


@pytest.mark.parametrize(
    ("seed", "counts", "tasks", "error"),
    [
        (1.5, {Split.SFT: 1}, tuple(Task), GivenTypeError),
        (True, {Split.SFT: 1}, tuple(Task), GivenTypeError),
        (1, {Split.SFT: "1"}, tuple(Task), GivenTypeError),
        (1, {Split.SFT: -1}, tuple(Task), GivenValueError),
        (1, {Split.SFT: 1}, (), GivenValueError),
        (1, {Split.SFT: 1}, (Task.FIELDS, Task.FIELDS), GivenValueError),
    ],
)
def test_odd_arguments_are_refused(seed: int, counts: dict[Split, int], tasks: tuple[Task, ...], error: type[Exception]) -> None:
    """No float or bool as a seed, no text or negative number as a count, no task twice, none at all."""
    with pytest.raises(error):
        make(seed, counts, tasks)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """Items, digest and card come back the same, and writing twice gives the same bytes."""
    data = make(3, SMALL)
    data.write(tmp_path / "one")
    make(3, SMALL).write(tmp_path / "two")
    again = read(tmp_path / "one")
    assert again.by_split == dict(data.by_split)
    assert (again.digest, again.card, again.seed, again.tasks) == (data.digest, data.card, data.seed, data.tasks)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def _altered(folder: Path, name: str) -> None:
    path = folder / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


@pytest.mark.parametrize("name", ["sft.jsonl", "unseen.jsonl", "challenge.jsonl", "retention.jsonl", "card.json"])
def test_an_altered_or_absent_file_is_refused_by_name(tmp_path: Path, name: str) -> None:
    """One bit of any file, or the file away: refused, and the message names the file."""
    data = make(3, SMALL)
    data.write(tmp_path / "altered")
    _altered(tmp_path / "altered", name)
    with pytest.raises(GivenValueError, match=f"^{name} was altered"):
        read(tmp_path / "altered")
    data.write(tmp_path / "absent")
    (tmp_path / "absent" / name).unlink()
    with pytest.raises(GivenValueError, match=f"^{name} cannot be read"):
        read(tmp_path / "absent")


def test_a_manifest_made_to_fit_is_refused(tmp_path: Path) -> None:
    """Who alters an answer and the manifest too still meets the item's id, and who alters that too, the card's digest."""
    data = make(3, SMALL)
    data.write(tmp_path / "one")
    path, manifest = tmp_path / "one" / "sft.jsonl", tmp_path / "one" / "manifest.json"
    rows = path.read_text().splitlines()
    row = json.loads(rows[0])

    def put(changed: dict[str, object]) -> None:
        line = json.dumps(changed, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        path.write_text("\n".join([line, *rows[1:]]) + "\n")
        hashes = json.loads(manifest.read_text())
        hashes["files"]["sft.jsonl"] = hashlib.sha256(path.read_bytes()).hexdigest()
        manifest.write_text(json.dumps(hashes))

    put({**row, "answer": "{}"})
    with pytest.raises(GivenValueError, match=r"sft\.jsonl has an item whose id"):
        read(tmp_path / "one")
    put({**row, "answer": "{}", "id": item_id(Task(row["task"]), row["prompt"], "{}")})
    with pytest.raises(GivenValueError, match=r"card\.json gives another digest"):
        read(tmp_path / "one")
    put({"id": row["id"]})
    with pytest.raises(GivenValueError, match=r"sft\.jsonl has a line that is no item"):
        read(tmp_path / "one")
    for content, message in ((b"[]", r"card\.json is no card"), (b"\xff{", r"card\.json is no JSON")):
        (tmp_path / "one" / "card.json").write_bytes(content)
        hashes = json.loads(manifest.read_text())
        hashes["files"]["card.json"] = hashlib.sha256(content).hexdigest()
        manifest.write_text(json.dumps(hashes))
        with pytest.raises(GivenValueError, match=message):
            read(tmp_path / "one")


def test_a_strange_folder_is_refused(tmp_path: Path) -> None:
    """A full folder to write into; a further file, no manifest, or a manifest of something else to read from."""
    data = make(3, {Split.SFT: 8})
    data.write(tmp_path / "one")
    with pytest.raises(GivenValueError, match="is not empty"):
        data.write(tmp_path / "one")
    (tmp_path / "one" / "final.jsonl").write_text("")
    with pytest.raises(GivenValueError, match=r"final\.jsonl is not of this data set"):
        read(tmp_path / "one")
    with pytest.raises(GivenValueError, match=r"manifest\.json cannot be read"):
        read(tmp_path / "none")
    (tmp_path / "one" / "manifest.json").write_text("[]")
    with pytest.raises(GivenValueError, match="names no files"):
        read(tmp_path / "one")
    (tmp_path / "file").write_text("")
    with pytest.raises(GivenValueError, match="cannot be written"):
        data.write(tmp_path / "file" / "below")


def test_the_card_counts_what_is_there(data: DataSet) -> None:
    """Counts, wordings, tags and contamination of the card are those of the items; it has no float and survives JSON."""
    card = data.card
    assert json.loads(json.dumps(card)) == card
    assert "float" not in {type(value).__name__ for value in _leaves(card)}
    for split, items in data.by_split.items():
        assert sum(card["counts"][split.value].values()) == len(items)
        assert card["wordings_used"][split.value] == len({item.template for item in items})
    assert card["digest"] == data.digest
    assert card["contamination"]["prompts_there_twice"] == 0
    assert {pair["near_duplicate_wordings"] for pair in card["contamination"]["between_groups"]} == {0}
    assert card["tags"]["values"]["values:outside"] == len(data.items(Split.VALUES))


def _leaves(value: object) -> list[object]:
    if isinstance(value, dict):
        return [leaf for one in value.values() for leaf in _leaves(one)]
    return [leaf for one in value for leaf in _leaves(one)] if isinstance(value, list) else [value]


def test_a_prompt_in_two_splits_would_be_counted(data: DataSet) -> None:
    """The count of repeated prompts is no constant: a split put in twice is seen in full."""
    doubled = {Split.SFT: data.items(Split.UNSEEN), Split.UNSEEN: data.items(Split.UNSEEN)}
    assert shared_prompts(doubled) == len(data.items(Split.UNSEEN))
