"""The page of an evaluation: whole, self-contained, escaped, the same bytes for the same report, and readable without plots."""

from __future__ import annotations

import base64
import hashlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
from lxml import html as lxml_html

from conformed.app.evaluating.report import EvaluationReport
from conformed.app.pages.evaluation import render_evaluation
from conformed.app.pages.evaluation_items import LONGEST, MOST_ITEMS, MOST_SAMPLES, items_of, visible
from conformed.evaluation.intervals import Proportion
from conformed.model.answer import Outcome
from conformed.model.base import Missing

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&\x1b[31m\u202e\u200b{{ 7*7 }}$x$\x00"
SECTIONS = [
    "what",
    "methods",
    "frontier",
    "paired",
    "pass",
    "best",
    "diversity",
    "reliability",
    "risk",
    "slices",
    "data",
    "items",
]


@pytest.fixture(scope="module")
def page(report: EvaluationReport) -> str:
    """The page of the small comparison."""
    return render_evaluation(report)


def _hostile(report: EvaluationReport) -> EvaluationReport:
    """The report with hostile text wherever a data set or a model can put some."""
    first = report.items[0].model_copy(
        update={
            "prompt": EVIL,
            "reference": EVIL,
            "subject": EVIL,
            "source": EVIL,
            "source_revision": EVIL,
            "split": EVIL,
            "form": EVIL,
        }
    )
    methods = []
    for method in report.methods:
        results = [
            one.model_copy(update={"response": EVIL, "answer": EVIL, "normalised": EVIL, "code": EVIL})
            if one.item == first.id
            else one
            for one in method.results
        ]
        rows = [row.model_copy(update={"value": EVIL}) if row.dimension == "subject" else row for row in method.slices]
        methods.append(method.model_copy(update={"results": tuple(results), "slices": tuple(rows)}))
    return report.model_copy(
        update={"items": (first, *report.items[1:]), "methods": tuple(methods), "title": EVIL, "data": EVIL, "first_line": EVIL}
    )


def test_everything_of_the_report_stands_on_the_page(page: str, report: EvaluationReport) -> None:
    """Every section is there, reached from the list of sections, and none is empty; so are hashes, conditions and figures."""
    tree = lxml_html.document_fromstring(page)
    assert [section.get("id") for section in tree.iter("section")] == SECTIONS
    assert [link.get("href") for link in tree.xpath("//nav//a")] == [f"#{name}" for name in SECTIONS]
    text = " ".join(tree.text_content().split())
    assert text.index(report.first_line.partition(". ")[0]) < text.index("What was evaluated")
    for said in (
        report.data_digest,
        report.contract_digest,
        report.contract,
        str(report.seed),
        report.plan.digest(),
        report.made_at,
    ):
        assert said in text
    methods = tree.get_element_by_id("methods").text_content()
    for method in report.methods:
        accuracy = method.row.scores.accuracy
        assert isinstance(accuracy, Proportion)
        assert f"{accuracy.value:.1%}" in methods
        assert f"{accuracy.interval.low:.1%} to {accuracy.interval.high:.1%}" in methods
        assert f"{accuracy.successes} of {accuracy.trials}" in methods
        assert method.row.method.template_revision in text
        assert method.settings["prompt"].split("\n")[0] in text
    assert "invented for the demonstration" in text
    assert "not deployable" in tree.get_element_by_id("best").text_content()
    assert "audit" in tree.get_element_by_id("best").text_content()
    data = tree.get_element_by_id("data").text_content()
    assert "make.py" in data
    assert "prompt example" in data
    assert not isinstance(report.contamination, Missing)
    assert all(line in data for line in report.contamination.not_known)


def test_slices_too_small_to_read_are_marked(page: str, report: EvaluationReport) -> None:
    """Slices of four items under a bound of five carry the mark, in words and not by colour alone."""
    assert all(row.too_small for method in report.methods for row in method.slices)
    headings = lxml_html.document_fromstring(page).xpath("//section[@id='slices']//th[@scope='rowgroup']")
    assert headings
    assert all("too small to read" in one.text_content() for one in headings)


def test_every_sample_is_a_click_away(page: str, report: EvaluationReport) -> None:
    """Each item is a closed block with its prompt, reference and every sample's raw text, outcome and code."""
    blocks = lxml_html.document_fromstring(page).xpath("//section[@id='items']/details")
    assert len(blocks) == len(report.items)
    assert not any(block.get("open") for block in blocks)
    for block, item in zip(blocks, sorted(report.items, key=lambda one: one.id), strict=True):
        text = block.text_content()
        assert item.prompt in text
        assert item.reference in text
        rows = block.xpath(".//tbody/tr[td]")
        assert len(rows) == sum(one.item == item.id for method in report.methods for one in method.results)
        shown = [row.xpath("./td")[-1].text_content() for row in rows]
        assert shown == [one.response for method in report.methods for one in method.results if one.item == item.id]


def test_nothing_runs_and_nothing_is_fetched(page: str) -> None:
    """No script, no style that the policy would not allow, no address: the policy names the page's one style sheet by hash."""
    tree = lxml_html.document_fromstring(page)
    tags = {one.tag for one in tree.iter() if isinstance(one.tag, str)}
    assert not tags & {"script", "iframe", "object", "embed", "link", "base", "form", "img", "foreignobject"}
    assert not [
        one for one in tree.iter() if isinstance(one.tag, str) and ({"style", "src", "onload", "onerror"} & set(one.attrib))
    ]
    assert all(link.get("href").startswith("#") for link in tree.xpath("//*[@href]"))
    assert not re.findall(r"https?://|url\((?!#)", page)
    (style,) = tree.xpath("//style")
    hashed = base64.b64encode(hashlib.sha256(style.text.encode()).digest()).decode()
    (policy,) = tree.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert policy == f"default-src 'none'; style-src 'sha256-{hashed}'; base-uri 'none'; form-action 'none'"


def test_a_reader_without_eyes_or_mouse_gets_through(page: str) -> None:
    """Ids stand once, links lead somewhere, tables have heads, plots a text and a table in their section, wide tables the keyboard."""
    tree = lxml_html.document_fromstring(page)
    ids = tree.xpath("//@id")
    assert len(ids) == len(set(ids))
    assert {link.removeprefix("#") for link in tree.xpath("//@href")} <= set(ids)
    for table in tree.iter("table"):
        assert table.xpath(".//thead//th[@scope='col']")
        assert all(row.xpath("./th[@scope]") for row in table.xpath(".//tbody/tr"))
    plots = tree.xpath("//*[local-name()='svg']")
    assert len(plots) == 1 + 1 + 3 + 2  # frontier, risk, three methods with several samples, two slices
    for plot in plots:
        assert plot.get("role") == "img"
        assert plot.get("aria-label")
        assert plot.xpath("ancestor::section//table")
    assert all(box.get("tabindex") == "0" and box.get("aria-label") for box in tree.xpath("//div[@class='scroll']"))
    assert tree.get("lang") == "en"


def test_hostile_text_is_shown_and_not_obeyed(report: EvaluationReport) -> None:
    """Tags, template marks, escapes and marks that turn the direction of reading come out as text or as their code points."""
    page = render_evaluation(_hostile(report))
    tree = lxml_html.document_fromstring(page)
    assert not tree.xpath("//script|//img|//*[@onerror]")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u202a-\u202e]", page)
    raw = tree.get_element_by_id("items").text_content()
    assert "<script>alert(1)</script><img src=x onerror=alert(2)>" in raw
    assert "⟨U+001B⟩[31m⟨U+202E⟩⟨U+200B⟩{{ 7*7 }}$x$⟨U+0000⟩" in raw
    assert "49" not in tree.findtext(".//title")


def test_the_same_report_gives_the_same_bytes(report: EvaluationReport, page: str, ran: Path) -> None:
    """Twice here, as the command wrote it, and in another process with another order of sets: byte for byte."""
    assert render_evaluation(report) == page
    assert (ran / "report.html").read_text(encoding="utf-8") == page
    program = (
        "import sys;from pathlib import Path\n"
        "from conformed.app.evaluating.report import EvaluationReport as R\n"
        "from conformed.app.pages.evaluation import render_evaluation as go\n"
        "sys.stdout.buffer.write(go(R.model_validate_json(Path(sys.argv[1]).read_bytes())).encode())"
    )
    other = subprocess.run(
        [sys.executable, "-c", program, str(ran / "report.json")], capture_output=True, check=True, env={"PYTHONHASHSEED": "77"}
    )
    assert other.stdout.decode() == page


def test_without_the_library_of_plots_the_tables_stay(report: EvaluationReport, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page says once what is missing and how to get it, and every table is there."""
    whole = lxml_html.document_fromstring(render_evaluation(report))
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    page = render_evaluation(report)
    bare = lxml_html.document_fromstring(page)
    assert page.count("pip install") == 1
    assert "conformed[evaluation]" in bare.text_content()
    assert not bare.xpath("//*[local-name()='svg']|//figure")
    assert [one.text_content() for one in bare.iter("table")] == [one.text_content() for one in whole.iter("table")]


def test_a_large_run_is_cut_and_says_so(report: EvaluationReport) -> None:
    """More items than the page holds: what not every method got right comes first, and the page says where the rest is."""
    model, right, wrong = report.items[0], [], []
    cheap = report.methods[0]
    for at in range(MOST_ITEMS + 50):
        item = model.model_copy(update={"id": f"i{at:04}"})
        (wrong if at >= MOST_ITEMS else right).append(item)
    choice = cheap.choices[0].model_copy(update={"sample": 0})
    result = cheap.results[0]
    method = cheap.model_copy(
        update={
            "choices": tuple(
                choice.model_copy(update={"item": one.id, "outcome": Outcome.CORRECT if one in right else Outcome.INCORRECT})
                for one in (*right, *wrong)
            ),
            "results": tuple(
                result.model_copy(update={"item": one.id, "sample": sample})
                for one in (*right, *wrong)
                for sample in range(MOST_SAMPLES + 3)
            ),
        }
    )
    large = report.model_copy(update={"items": (*right, *wrong), "methods": (method,), "cheap": method.name})
    shown = items_of(large)
    assert len(shown) == MOST_ITEMS
    assert {one.item.id for one in shown} >= {item.id for item in wrong}
    assert all(len(one.methods[0].samples) == MOST_SAMPLES and one.methods[0].left_out == 3 for one in shown)
    text = lxml_html.document_fromstring(render_evaluation(large)).get_element_by_id("items").text_content()
    assert f"{MOST_ITEMS} of {MOST_ITEMS + 50} items" in text
    assert "the rest is in report.json" in text
    assert "3 more samples in report.json" in text


def test_long_text_is_cut_and_says_so() -> None:
    """A text over the bound keeps its beginning and says how much is elsewhere; one at the bound is whole."""
    assert visible("a" * LONGEST) == "a" * LONGEST
    assert visible("a" * (LONGEST + 5)) == "a" * LONGEST + " … (5 more characters in report.json)"
    assert visible("a\nb\tc\u2028") == "a\nb\tc⟨U+2028⟩"


def test_a_report_of_one_method_is_a_page_too(report: EvaluationReport) -> None:
    """Nothing to compare, no values, no lineage, one sample: each absence is a sentence."""
    alone = next(one for one in report.methods if one.row.method.n == 1)
    none = Missing(reason="The owner entered no values.", code="no_values")
    one = report.model_copy(
        update={
            "methods": (alone.model_copy(update={"utility": none}),),
            "cheap": alone.name,
            "values": none,
            "lineage": Missing(reason="make.py cannot be read.", code="x"),
            "contamination": Missing(reason="There is one split: nothing can stand in two.", code="one_split"),
        }
    )
    text = lxml_html.document_fromstring(render_evaluation(one)).text_content()
    for said in (
        "nothing to compare it with",
        "No method draws several samples",
        "make.py cannot be read.",
        "not valued",
        "one split",
    ):
        assert said in text
