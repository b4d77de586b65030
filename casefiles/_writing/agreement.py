"""An agreement of the American or the British kind from the stock and a deal's own particulars."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from .blocks import Block, article, break_page, centre, para, paras, section, title, toc
from .exhibits import exhibit
from .stock import Clause, Wording, clauses, definitions
from .texts import read, words

__all__ = ["Deal", "agreement", "wording"]

ROMAN = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "XIII")


@dataclass(frozen=True)
class Deal:
    """Everything that one agreement has of its own."""

    british: bool
    name: str
    """Name of the document: CREDIT AGREEMENT."""
    place: str
    """Folder of its texts: cover, preamble, definitions, financial covenants, pricing grid, form of certificate, signatures."""
    terms: dict[str, str]
    sign: str
    amounts: dict[str, int]
    articles: tuple[tuple[str, str, tuple[str, ...]], ...]
    """Caption, lead-in and keys of each article or clause."""
    exhibits: tuple[tuple[str, str, str], ...]
    """Key, label and caption of each schedule and exhibit."""
    lenders: tuple[tuple[str, int, int], ...]
    """Name, term commitment, revolving commitment."""
    subsidiaries: tuple[tuple[str, str, str], ...]
    """Name, place of organisation, owner."""
    scale: Fraction = Fraction(1)
    own_clauses: tuple[str, ...] = ()
    """Texts with clauses that take the place of, or join, those of the stock."""


def number_of(deal: Deal, article_index: int, position: int) -> str:
    """Number of a clause."""
    if deal.british:
        return f"{article_index}.{position}"
    return f"{article_index}.{position:02d}"


def numbering(deal: Deal) -> dict[str, str]:
    """Clause and exhibit numbers by key, as a reference writes them."""
    word = "Clause" if deal.british else "Section"
    found = {}
    for index, (_, _, keys) in enumerate(deal.articles, 1):
        for position, key in enumerate(keys, 1):
            found[key] = f"{word} {number_of(deal, index, position)}"
        if "liens" in keys:
            negatives = [key for key in keys if not key.startswith("reserved")]
            found["lastneg"] = found[negatives[-1]]
    found.update({key: label for key, label, _ in deal.exhibits})
    return found


def wording(deal: Deal) -> Wording:
    """The words of a deal."""
    return Wording(
        deal.terms,
        sign=deal.sign,
        scale=deal.scale,
        amounts=deal.amounts,
        numbers=numbering(deal),
        this="Clause" if deal.british else "Section",
    )


def definitions_of(deal: Deal) -> list[str]:
    """The definitions of the market and of the deal, a paragraph each."""
    market = words("uk/definitions" if deal.british else "us/definitions")
    return [piece for text in (market, words(f"{deal.place}/definitions")) for piece in text.strip().split("\n\n")]


def defined_terms(deal: Deal, filler: Wording) -> list[Block]:
    """The definitions in order, the deal's own in place of those of the stock."""

    def term(piece: str) -> str:
        return piece[1 : piece.index('"', 1)]

    pieces = [filler.fill(piece.strip()) for piece in (*definitions(), *definitions_of(deal))]
    merged = {term(piece): piece for piece in pieces}
    return [para(" ".join(merged[key].split())) for key in sorted(merged, key=str.casefold)]


def clause_blocks(deal: Deal, filler: Wording, stock: dict[str, Clause], key: str, number: str) -> list[Block]:
    """The blocks of one clause."""
    label = number if deal.british else f"Section {number}"
    if key in {"fincov", "margin"}:
        return read(f"{deal.place}/{key}", number=number)
    if key.startswith("reserved"):
        return [section(label, "[Not used]" if deal.british else "[Reserved]", run_in=not deal.british)]
    if key == "definitions":
        lead = "In this Agreement the following expressions have the meanings set beside them:"
        return [
            section(label, "Defined Terms", "" if deal.british else lead, run_in=not deal.british),
            *([para(lead)] if deal.british else []),
            *defined_terms(deal, filler),
        ]
    body, caption = paras(filler.fill(stock[key].text)), filler.fill(stock[key].caption)
    if deal.british or body[0].level:
        return [section(label, caption, run_in=not deal.british), *body]
    return [section(label, caption, body[0].text), *body[1:]]


def agreement(deal: Deal) -> list[Block]:
    """The whole agreement."""
    filler = wording(deal)
    stock = clauses(*deal.own_clauses)
    blocks = [*read(f"{deal.place}/cover"), break_page()]
    blocks += [centre("<b>TABLE OF CONTENTS</b>"), toc(), break_page(body=True)]
    blocks += [title(deal.name), *paras(filler.fill(words(f"{deal.place}/preamble")))]
    for index, (caption, lead, keys) in enumerate(deal.articles, 1):
        head = f"{index}." if deal.british else f"ARTICLE {ROMAN[index]}"
        blocks.append(article(head, caption.upper()))
        if lead:
            blocks.append(para(filler.fill(lead)))
        for position, key in enumerate(keys, 1):
            blocks += clause_blocks(deal, filler, stock, key, number_of(deal, index, position))
    end = "This Agreement has been entered into on the date stated at the beginning of it."
    blocks.append(para(end if deal.british else "<i>[Signature pages follow]</i>"))
    if not deal.british:
        blocks += [break_page(), *signature_pages(deal)]
    for key, label, caption in deal.exhibits:
        blocks += [break_page(), centre(f"<b>{label.upper()}</b>\n<b>{caption.upper()}</b>", f"{label} {caption}")]
        if key == "certificate":
            blocks += read(f"{deal.place}/form")
        else:
            blocks += exhibit(key, deal.terms, deal.lenders, deal.subsidiaries, deal.sign, filler.fill)
    if deal.british:
        blocks += [break_page(), *signature_pages(deal)]
    return blocks


def signature_pages(deal: Deal) -> list[Block]:
    """Signature blocks, conformed."""
    witness = (
        "IN WITNESS WHEREOF, the parties have caused this Agreement to be signed by their officers as of the date "
        "first written above."
    )
    return [centre("<b>SIGNATORIES</b>") if deal.british else para(witness), *read(f"{deal.place}/signatures")]
