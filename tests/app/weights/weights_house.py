"""A workspace with people, small weights in a mirror folder, and reports of their evaluation."""

from __future__ import annotations

import datetime as dt
import hashlib
import itertools
import shutil
from pathlib import Path
from typing import Any

from conformed.app.weights.desk import WeightsDesk
from conformed.app.weights.reporting import Promoted, Proposal
from conformed.app.workspace import Workspace
from conformed.mirror.manifest import MANIFEST, Manifest, PinnedFile, RepositorySource
from conformed.model.weights_report import Decoding, SplitCounts, WeightsReport
from conformed.people.person import Identified

ROOT = Path(__file__).parents[3]
ALIAS, GATES, DATA = "extractor-small", "extractor", "d" * 64
PEOPLE = (("anna", "model_officer"), ("bruno", "model_officer"), ("clara", "model_officer"), ("dora", "credit_analyst"))
SPLITS = ("unseen", "challenge", "retention")


def counts(split: str, decoding: Decoding = Decoding.GREEDY, **other: int) -> SplitCounts:
    """A thousand responses of ten tokens to which nothing is to object."""
    plain: dict[str, Any] = {
        "items": 1000, "right": 990, "judged": 1000, "false_accepts": 0, "invalid": 0, "tokens": 10_000, "tokens_squared": 100_000,
    }  # fmt: skip
    return SplitCounts(split=split, decoding=decoding, **{**plain, **other})


class WeightsHouse:
    """A workspace with model officers."""

    def __init__(self, folder: Path) -> None:
        shutil.copytree(ROOT / "policies", folder / "policies")
        self.folder = folder
        self.workspace = Workspace(root=folder, policies=folder / "policies", origin="flag")
        self.workspace.people.parent.mkdir()
        rows = [
            f'- id: p-{number:012}\n  account: "os:{who}"\n  name: "{who}"\n  roles: [{role}]\n'
            for number, (who, role) in enumerate(PEOPLE)
        ]
        self.workspace.people.write_text("people:\n" + "".join(rows), encoding="utf-8")
        self._times = itertools.count()

    def desk(self, who: str) -> WeightsDesk:
        """The product with somebody at the keys."""
        return WeightsDesk(
            self.workspace, environment={}, clock=self._now,
            identify=lambda: Identified(account=f"os:{who}", name=who, session=f"os:{who}:1", method="test"),
        )  # fmt: skip

    def _now(self) -> dt.datetime:
        return dt.datetime(2026, 3, 2, 12, 0, tzinfo=dt.UTC) + dt.timedelta(seconds=next(self._times))

    def weights(self, name: str = "first") -> Path:
        """A folder of small weights with its manifest."""
        folder = self.folder / "mirror" / name
        if folder.exists():
            return folder
        folder.mkdir(parents=True)
        files = {
            "config.json": b'{"architectures":["Tiny"]}',
            "model.safetensors": (2).to_bytes(8, "little") + b"{}" + name.encode(),
        }
        for file, data in files.items():
            (folder / file).write_bytes(data)
        manifest = Manifest(
            model="tiny", source=RepositorySource(repository="bank/tiny", commit="a" * 40), licence="Apache-2.0", architecture="Tiny",
            stored="float32",
            files=tuple(PinnedFile(name=n, sha256=hashlib.sha256(d).hexdigest(), size=len(d)) for n, d in sorted(files.items())),
        )  # fmt: skip
        (folder / MANIFEST).write_bytes(manifest.data())
        return folder

    def manifest(self, name: str = "first") -> str:
        """SHA-256 of the manifest of some weights."""
        return hashlib.sha256((self.weights(name) / MANIFEST).read_bytes()).hexdigest()

    @property
    def gates(self) -> Path:
        """The file with the gates."""
        return self.workspace.policies / "weight-gates" / "extractor.yaml"

    def report(
        self, name: str = "first", *, use: str | None = None, data: str = DATA, family: str = "covenants", where: str = "",
        also: tuple[SplitCounts, ...] = (), without: str = "", **other: Any,
    ) -> Path:  # fmt: skip
        """A file with an evaluation; ``other`` changes the counts of one split, the greedy unseen unless ``where`` names another."""
        splits = [*SPLITS, *(["final"] if use else [])]
        made = {(one, way): counts(one, way) for one in splits for way in Decoding if one != without}
        if other:
            about = where or "unseen"
            made[about, Decoding.GREEDY] = counts(about, **other)
        made |= {(one.split, one.decoding): one for one in also}
        report = WeightsReport.sealed(
            family=family, run="run-1", manifest=self.manifest(name), dataset=data,
            gates=hashlib.sha256(self.gates.read_bytes()).hexdigest(), splits=made.values(), final_use=use,
        )  # fmt: skip
        file = self.folder / f"{name}-{'final' if use else 'before'}.json"
        file.write_bytes(report.data())
        return file

    def use(self, name: str = "first", who: str = "anna", data: str = DATA) -> str:
        """Puts the final set to its use; gives the leaf of its record."""
        return self.desk(who).final(self.weights(name), self.report(name, data=data), GATES).use.use

    def propose(self, name: str = "first", who: str = "anna", data: str = DATA, *, user: str = "") -> Proposal:
        """Evaluates and proposes; ``user`` is who uses the final set, where that is somebody else."""
        use = self.use(name, user or who, data)
        return self.desk(who).propose(ALIAS, self.weights(name), self.report(name, use=use, data=data), GATES)

    def promote(self, name: str = "first", data: str = DATA) -> Promoted:
        """Anna proposes, Bruno confirms."""
        return self.desk("bruno").promote(ALIAS, self.propose(name, data=data).proposal, self.weights(name))

    def records(self) -> int:
        """How many records of weights the log has."""
        if not self.workspace.log.exists():
            return 0
        with self.desk("anna")._log(create=False) as log:
            return sum(1 for row in log.cases() if ":" in row.case for _ in log.records(row.case))
