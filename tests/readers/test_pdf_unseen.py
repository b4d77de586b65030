"""Words that a person does not see, or that are not what is shown: kept apart, or told of by name."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import pytest

from conformed.model.document import Document
from conformed_plugins.readers.pdf import PdfReader

READER = PdfReader(ocr=False)


HELLO = b"BT /F1 12 Tf 72 700 Td (shall not exceed 3.50 to 1.00) Tj ET"
NINE = b" BT /F1 12 Tf 72 600 Td (or 9.00 to 1.00) Tj ET"


def file_of(objects: Sequence[bytes]) -> bytes:
    """A PDF of some objects, the first of them the catalogue, with a true directory."""
    out = bytearray(b"%PDF-1.7\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<</Root 1 0 R/Size %d>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)


def stream(body: bytes, keys: bytes = b"") -> bytes:
    """A stream object."""
    return b"<<" + keys + b"/Length %d>>\nstream\n" % len(body) + body + b"\nendstream"


def one_page(content: bytes = HELLO, keys: bytes = b"", font: bytes = b"") -> list[bytes]:
    """The objects of a file with one page: catalogue, tree, page, content, font."""
    return [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        stream(content, keys),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding" + font + b">>",
    ]


def read(data: bytes) -> Document:
    """The document, which must not be refused."""
    found = READER.read("packs/case.pdf", data)
    assert isinstance(found, Document), found
    return found


def codes(document: Document) -> set[str]:
    """The codes of a document's notes."""
    return {note.code for note in document.notes}


def test_a_map_that_contradicts_the_encoding_is_told_of() -> None:
    """Row 12: a font that shows 3 and says 8 is named, whether its map is packed or plain."""
    table = b"begincmap 1 beginbfchar <33> <0038> endbfchar endcmap"
    for body, keys in ((table, b""), (zlib.compress(table), b"/Filter/FlateDecode")):
        document = read(file_of([*one_page(font=b"/ToUnicode 6 0 R"), stream(body, keys)]))
        (note,) = document.notes
        assert note.code == "text_layer_suspect"
        assert "says '8' where it shows '3'" in note.sentence


def test_a_true_map_is_not_suspected() -> None:
    """A map that says what the encoding says gives no note, in single entries and in ranges."""
    table = b"begincmap 1 beginbfchar <33> <0033> endbfchar 1 beginbfrange <20> <7E> <0020> endbfrange endcmap"
    assert read(file_of([*one_page(font=b"/ToUnicode 6 0 R"), stream(table)])).notes == ()


def test_glyphs_without_letters_are_told_of() -> None:
    """Row 13: a page most of whose characters map to private use is marked as suspect."""
    table = b"begincmap 1 beginbfrange <20> <7E> <E020> endbfrange endcmap"
    font = one_page(font=b"/ToUnicode 6 0 R")
    assert "text_layer_suspect" in codes(read(file_of([*font, stream(table)])))


def hidden(document: Document) -> list[str]:
    """The hidden words."""
    return [document.text[run.start : run.end] for run in document.hidden]


@pytest.mark.parametrize(
    ("content", "extra"),
    [
        (b" q 0 0 10 10 re W n" + NINE + b" Q", b""),
        (NINE.replace(b"12 Tf", b"0.5 Tf"), b""),
        (b" /G0 gs" + NINE, b"/ExtGState<</G0<</ca 0>>>>"),
        (b" 1 g" + NINE, b""),
        (b" 0 0 1 rg 60 590 200 30 re f" + NINE, b""),
    ],
    ids=["clipped", "tiny", "transparent", "white", "blue on blue"],
)
def test_words_that_nobody_sees_are_hidden(content: bytes, extra: bytes) -> None:
    """Words cut away by a clip, too small, transparent, or of the colour of their ground are kept apart and told of."""
    objects = one_page(HELLO + content)
    objects[2] = objects[2].replace(b"/Font<<", extra + b"/Font<<", 1)
    document = read(file_of(objects))
    assert hidden(document) == ["or 9.00 to 1.00"]
    assert codes(document) == {"hidden_text"}


def test_narrow_letters_drawn_one_by_one_are_not_too_small() -> None:
    """Letters such as i, a dot and a dash that were drawn as pieces of their own stay live."""
    shown = b" ".join(b"BT /F1 11 Tf %d 700 Td (%c) Tj ET" % (72 + 7 * place, letter) for place, letter in enumerate(b"i.-:l|"))
    assert read(file_of(one_page(shown))).hidden == ()


def test_words_put_in_the_place_of_figures_are_told_of() -> None:
    """A page that shows 3.50 and hands out 9.00 by ActualText is marked; a replaced hyphen is not."""
    shown = b"/Span<</ActualText(%s)>>BDC BT /F1 12 Tf 72 700 Td (3.50) Tj ET EMC"
    assert codes(read(file_of(one_page(shown % b"9.00")))) == {"text_layer_suspect"}
    assert codes(read(file_of(one_page(shown % b"half")))) == set()


def test_a_layer_that_can_be_switched_off_is_told_of() -> None:
    """Words of an optional layer are read, and the page says that they may not be shown."""
    objects = one_page(HELLO + b" /OC /M0 BDC" + NINE + b" EMC")
    objects[0] = b"<</Type/Catalog/Pages 2 0 R/OCProperties<</OCGs[6 0 R]/D<</OFF[6 0 R]>>>>>>"
    objects[2] = objects[2].replace(b"/Font<<", b"/Properties<</M0 6 0 R>>/Font<<")
    assert codes(read(file_of([*objects, b"<</Type/OCG/Name(L)>>"]))) == {"text_layer_suspect"}


@pytest.mark.parametrize(
    ("annotation", "code"),
    [
        (b"<</Type/Annot/Subtype/FreeText/Contents(now 9.00)/Rect[250 695 350 713]/F 4>>", {"annotation"}),
        (b"<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/V(3.45)/Rect[250 695 350 713]/F 4>>", {"text_layer_suspect"}),
        (b"<</Type/Annot/Subtype/Link/Rect[250 695 350 713]/F 4>>", set()),
    ],
    ids=["comment", "field without a picture", "link"],
)
def test_what_is_pinned_onto_a_page_is_told_of(annotation: bytes, code: set[str]) -> None:
    """A comment, and a form field's value that is not drawn, are told of; a link is nothing to tell."""
    objects = one_page()
    objects[2] = objects[2][:-2] + b"/Annots[6 0 R]>>"
    assert codes(read(file_of([*objects, annotation]))) == code


def test_a_strike_out_annotation_strikes_the_words_under_it() -> None:
    """Words under a strike-out annotation are struck, their neighbours are not."""
    objects = one_page(b"BT /F1 12 Tf 72 700 Td (4.00) Tj 60 0 Td (3.50) Tj ET")
    objects[2] = objects[2][:-2] + b"/Annots[6 0 R]>>"
    pin = b"<</Type/Annot/Subtype/StrikeOut/QuadPoints[70 712 100 712 70 698 100 698]/Rect[70 698 100 712]/F 4>>"
    document = read(file_of([*objects, pin]))
    assert [document.text[run.start : run.end] for run in document.struck] == ["4.00"]


def test_a_picture_over_words_is_told_of_and_hides_nothing() -> None:
    """A signature's picture over a name leaves the name live and the page marked: the picture may be transparent."""
    kind = b"/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8"
    image = stream(b"0", kind)
    objects = one_page(HELLO + b" q 120 0 0 40 60 690 cm /I0 Do Q")
    objects[2] = objects[2].replace(b"/Font<<", b"/XObject<</I0 6 0 R>>/Font<<")
    document = read(file_of([*objects, image]))
    assert document.hidden == ()
    assert codes(document) == {"text_layer_suspect"}
