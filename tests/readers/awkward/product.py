"""The product itself on an awkward file: how it ended, in one of the ways that are good or bad."""

from __future__ import annotations

import datetime as dt
import shutil
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from unittest import mock

from awkward.paper import AFTER, BEFORE, CLAUSE, HEADING, LEVEL, Variant, manifest
from conformed.app.answer import CovenantAnswer
from conformed.app.binding import bound_contract
from conformed.app.options import RunOptions, silent
from conformed.app.reading import case_of_files, open_pack, question_of
from conformed.app.running import PackTables
from conformed.app.service import Service
from conformed.app.witnessing import Witnesses
from conformed.app.working import calculated
from conformed.app.workspace import Workspace
from conformed.engine.slots import Calculated
from conformed.errors import PackError
from conformed.hooks import load_registry
from conformed.model.base import Missing
from conformed.model.calculation import Certificate
from conformed.model.decision import Reason
from conformed.model.document import Document
from conformed.ports import ExtractRequest
from conformed.rules.precedence.precedence import decide
from conformed_plugins.extractors.certificate import CertificateExtractor
from conformed_plugins.readers import pdf_ocr
from conformed_plugins.readers.docx import DocxReader
from conformed_plugins.readers.html import HtmlReader
from conformed_plugins.readers.pdf import PdfReader

__all__ = ["End", "Product"]

_ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class End:
    """How a file ended.

    Attributes:
        how: ``right``, ``flagged`` or ``refused``; ``wrong`` for another level or figure that nobody was told of, ``lost``
            for a figure that is not there and not told of.
        said: what was determined, or the codes.
    """

    how: str
    said: str


class Product:
    """One workspace in which every variant is a pack of its own.

    Args:
        folder: an empty folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        bank = folder / "bank"
        shutil.copytree(_ROOT / "policies", bank / "policies")
        self._service = Service(
            Workspace(root=bank, policies=bank / "policies", origin="flag"),
            clock=lambda: dt.datetime(2026, 3, 2, 12, 0, tzinfo=dt.UTC),
            environment={},
        )
        self._bound = bound_contract(bank / "policies" / "covenant.yaml", load_registry(env={}))
        self._count = 0

    def end(self, variant: Variant) -> End:
        """Puts a variant through the product."""
        self._count += 1
        with mock.patch.object(pdf_ocr.shutil, "which", shutil.which if variant.eye else lambda _name: None):
            return self._end(variant)

    def _end(self, variant: Variant) -> End:
        pack = self._folder / f"pack{self._count}"
        pack.mkdir()
        (pack / variant.file).write_bytes(variant.data)
        if not variant.certificate:
            (pack / "pack.yaml").write_text(manifest(variant.file))
            try:
                answer = self._service.covenant(pack, RunOptions())
            except PackError as problem:  # nothing else is in the pack: the sentence names the file
                return End("refused" if variant.file in problem.found else "lost", problem.found)
            return self._of_level(variant, answer)
        plain = "\n\n".join((*BEFORE, f"{HEADING} {CLAUSE} {LEVEL}.", *AFTER))
        (pack / "agreement.txt").write_text(plain)
        (pack / "pack.yaml").write_text(manifest("agreement.txt", variant.file))
        if variant.full:
            decision = self._service.run(pack, RunOptions(), silent)
            reasons, worked = decision.reasons, Calculated(calculation=decision.calculation, certificate=decision.certificate)
        else:
            reasons, worked = self._worked(pack)
        return self._of_figures(variant, [r.code for r in reasons if r.code.startswith("review")], worked)

    def _worked(self, folder: Path) -> tuple[tuple[Reason, ...], Calculated]:
        """What a run finds, by the same parts, without its record and its draft."""
        pack, readers = open_pack(folder), [reader for _, reader in self._bound.made("intake")]
        question = question_of(RunOptions(), pack.manifest, dt.date(2026, 3, 2))
        case = case_of_files(pack, question, readers, silent)
        retrieved, extraction = self._bound.proposals(case)
        tables = PackTables(pack, readers)
        request = ExtractRequest(case=case, retrieved=retrieved, tables=lambda name, pages: tables(case, name, pages))
        figures = CertificateExtractor().extract(request)
        extraction = extraction.model_copy(update={"certificates": figures.certificates})
        effective = decide(case, extraction)
        found = Witnesses(pack, readers).figures(case, calculated(effective, extraction, case, None))
        return (*effective.reasons, *found.reasons), found

    @staticmethod
    def notes(variant: Variant) -> set[str]:
        """Codes of the notes that the reader of a file leaves on it."""
        readers = (PdfReader(ocr=False), HtmlReader(), DocxReader())
        reader = next(one for one in readers if one.accepts(variant.file, variant.data[:4096]))
        found = reader.read(variant.file, variant.data)
        return {note.code for note in found.notes} if isinstance(found, Document) else set()

    @staticmethod
    def _of_level(variant: Variant, answer: CovenantAnswer) -> End:
        if answer.result == "determined" and answer.covenant is not None:
            found = answer.covenant
            said = f"{found.level or found.amount}"
            return End("right" if found.level is not None and Fraction(found.level) == variant.level else "wrong", said)
        if "review_document_unreadable" in answer.codes:
            return End("refused", " ".join(r.sentence for r in answer.reasons if r.code == "review_document_unreadable"))
        stops = [code for code in answer.codes if code.startswith("review")]
        seen = [candidate.level for candidate in answer.candidates]
        told = [r.sentence for r in answer.reasons if r.code.startswith("review")]
        return End("flagged" if stops else "lost", f"{' '.join(stops)}; shown {seen}; {told}")

    @staticmethod
    def _of_figures(variant: Variant, stops: list[str], worked: Calculated) -> End:
        codes = " ".join(sorted(set(stops)))
        if "review_document_unreadable" in codes:
            return End("refused", codes)
        certificate = worked.certificate
        if not isinstance(certificate, Certificate):
            return End("flagged" if codes or certificate.reason else "lost", f"{codes}; {certificate.reason}")
        got = {figure.name: (figure.value, figure.currency) for figure in certificate.figures}
        differs = []
        for name, value in variant.figures.items():
            plain, _, currency = name.partition("@")
            if plain not in got or got[plain][0] != value or (currency and got[plain][1] != currency):
                differs.append(f"{name}: {got.get(plain)} for {value}")
        lines = () if isinstance(worked.calculation, Missing) else worked.calculation.lines
        other = tuple(line.name for line in lines if not line.agrees)
        if not differs and lines and other != variant.differs:
            differs.append(f"lines reported {other} for {variant.differs}")
        if differs:
            return End("flagged" if codes else "wrong", f"{codes}; {'; '.join(differs)}")
        return End("flagged" if codes else "right", codes)
