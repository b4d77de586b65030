"""Words about changing a covenant that stand outside of what was understood: by its number, its name or its level.

A change may name the provision ("clause (a) of Section 7.11"), the figure ("the maximum Total Leverage Ratio"), or only
the level ("each reference to "4.00 to 1.00""). The offsets are of the live text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from conformed.language.roman import ROMAN
from conformed.rules.unread.spoken_places import EASES, LEVEL, MOST, NEGATED, RELIEF, STOP, Stretch, covered, places, sentence_at

__all__ = ["unread_words"]

_CHANGE = (
    r"amend(?:ed|s|ing|ment)?|restat(?:e|es|ed|ing)|delet(?:e|es|ed|ing|ion)|replac(?:e|es|ed|ing|ement)|substitut(?:e|es|ed|ing)|modif(?:y|ied|ies|ying)|"
    r"read\s+as|revis(?:e|es|ed|ing)|increas(?:e|es|ed|ing)|reduc(?:e|es|ed|ing)|decreas(?:e|es|ed|ing)|rais(?:e|es|ed|ing)|lower(?:s|ed|ing)|loosen(?:ed|ing)?|tighten(?:ed|ing)?|reset|chang(?:e|es|ed|ing)|adjust(?:ed|s|ing)|supersed(?:e|es|ed|ing)|"
    r"add(?:ed|ing)|insert(?:ed|ing)|strik(?:e|es|ing)|stricken|remov(?:e|es|ed|ing)"
)
_ANY = re.compile(rf"\b(?:{RELIEF}|{_CHANGE})\b", re.IGNORECASE)
_SWITCHED = re.compile(
    r"\bnot\s+(?:be\s+)?(?:tested|measured|applicable|required|in\s+effect|apply)\b|\b(?:suspended|disregarded|disapplied|inapplicable)\b",
    re.IGNORECASE,
)
_NOTWITHSTANDING = re.compile(r"\b(?:notwithstanding|in\s+lieu\s+of|instead\s+of)\b", re.IGNORECASE)
# Words that do something, as against words that tell of it ("has requested that ... be amended", "as amended hereby").
_OPERATES = re.compile(
    rf"\b(?:is|are|be|shall|will|hereby|may)\s+(?:hereby\s+|not\s+|be\s+|now\s+|temporarily\s+|further\s+|also\s+)*(?:{RELIEF}|{_CHANGE})\b|\bhereby\s+(?:\w+\s+){{0,3}}(?:{RELIEF}|{_CHANGE})\b|\bby\s+(?:{_CHANGE})\b|"
    r"\bwaives?\b|\bshall\s+(?:now\s+|instead\s+|be\s+deemed\s+to\s+)?be\s+(?:\w+\s+){0,6}?\d",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"\b(?:WHEREAS|request(?:ed|s|ing)?|desires?|wish(?:es)?|after\s+giving\s+effect|as\s+(?:so\s+|hereby\s+)?(?:amended|modified|waived)|amended\s+hereby|reserv(?:e|es|ation)|no\s+(?:other\s+)?(?:amendment|waiver|modification)|not\s+(?:constitute|be\s+(?:deemed|construed))|"
    r"failed\s+to\s+comply|acknowledges?|consent\s+of|require[sd]?\s+the\s+consent|set\s+forth\s+in\s+Section\s+\d+\s+(?:of\s+this|hereof))\b",
    re.IGNORECASE,
)
_THIS = re.compile(
    r"\s*(?:\([A-Za-z0-9]{1,4}\)\s*)*(?:of|to|in)\s+this\s+(?:\w+\s+)?(?:Amendment|Waiver|Consent|Letter|letter)\b|\s*(?:hereof|hereto|above|below)\b"
)
# "This waiver does not apply to Clause 22.2(a)": the reference is to what is left alone.
_LEFT_ALONE = re.compile(
    r"\b(?:does|do|shall|will)\s+not\s+(?:apply|extend|relate)\s+to\s+(?:\w+\s+)?$|\bnot\s+(?:an?\s+)?(?:amendment|waiver)\s+of\s+(?:\w+\s+)?$",
    re.IGNORECASE,
)
_THIS_AGREEMENT = re.compile(r"\s*(?:\([A-Za-z0-9]{1,4}\)\s*)*(?:of|to|in)\s+this\s+Agreement\b")
_CONDITION = re.compile(
    r"\b(?:if|so\s+long\s+as|unless|after\s+giving|pro\s+forma|would|provided|to\s+the\s+extent|condition(?:s|ed)?)\b",
    re.IGNORECASE,
)
_LIMITS = re.compile(
    r"\b(?:(?:shall|may|will|must)\s+(?:now\s+)?not\s+(?:exceed|be\s+(?:greater|more|less|lower))|shall\s+(?:now\s+|instead\s+)?be|not\s+to\s+(?:exceed|be)|is\s+now|permitted|permit\b[^.;]{0,160}?\bto\s+(?:exceed|be)|maintain|may\s+be)\b",
    re.IGNORECASE,
)
_FORM = re.compile(r"\b(?:Exhibit|Form\s+of|Certificate)\b")
_WHOLESALE = re.compile(
    r"\b(?:Agreement|Article\s+\w+|Facility)\s+(?:is|are|shall\s+be)\s+(?:hereby\s+)?amended\b[^.;]{0,160}?\b(?:set\s+(?:forth|out)|attached|form|shown|reflected|marked|contained|described|specified)\b[^.;]{0,40}?\b(?:Exhibit|Annex|Schedule|Appendix|Attachment)\b",
    re.IGNORECASE,
)


def _by_number(text: str, section: str, own: list[Stretch], others: list[Stretch]) -> Stretch | None:
    named = places(text, section)
    if len(named) > MOST:
        return named[0]
    for start, end in named:
        if _THIS.match(text, end) or covered((start, end), own):
            continue
        a, b = sentence_at(text, start, end)
        before, after = text[a:start], text[end:b]
        if _LEFT_ALONE.search(before):
            continue
        if covered((start, end), others):
            # New text of another provision may still switch this one off.
            if _NOTWITHSTANDING.search(before[-60:]) or (EASES.search(after[:160]) and not _TELLS.search(before)):
                return a, b
            continue
        verb = _ANY.search(after[:200]) or _ANY.search(before[-200:]) or _NOTWITHSTANDING.search(before[-60:])
        if verb is None and LEVEL.search(text, a, b) and not _CONDITION.search(text, a, b):
            verb = _LIMITS.search(text, a, b)
        if (
            verb is None
            or (NEGATED.search(before) and not EASES.search(before))
            or re.search(r"\bnot\s+(?:hereby\s+|being\s+)?(?:amend|waiv|modif)", after, re.IGNORECASE)
        ):
            continue
        if own and (
            _TELLS.search(text[a:b])
            or not (_LIMITS.search(text[a:b]) or _OPERATES.search(text[a:b]) or _NOTWITHSTANDING.search(before))
            or _headed(text, end, own)
        ):
            continue
        return a, b
    return None


def _headed(text: str, end: int, own: list[Stretch]) -> bool:
    """Whether a reference is the caption of an understood instruction that follows at once."""
    return any(0 <= a - end < 160 and not STOP.search(text[end:a].strip(" .;:")) for a, _ in own)


def _general(section: str, names: Iterable[str]) -> list[re.Pattern[str]]:
    """Ways to speak of a covenant without its number: its name, the article that holds it, what kind of test it is."""
    found = []
    for name in names:
        words = name.split()
        single = len(words) == 1
        if not single or (name[:1].isupper() and len(name) > 5):
            found.append(
                re.compile(r"\b" + r"\s+".join(re.escape(w) for w in words) + r"\b", re.NOFLAG if single else re.IGNORECASE)
            )
    kinds = {
        w
        for n in names
        for w in ("leverage", "coverage", "cover", "gearing", "worth", "liquidity", "ebitda")
        if re.search(rf"\b{w}\b", n, re.IGNORECASE)
    }
    found += [
        re.compile(rf"\b{k}\b(?:\s+ratio)?\s+(?:covenant|test|requirement|ratio|undertaking|level)s?\b", re.IGNORECASE)
        for k in sorted(kinds)
    ]
    found.append(re.compile(r"\bfinancial\s+(?:maintenance\s+)?(?:covenants?|undertakings?|tests?|ratios?)\b", re.IGNORECASE))
    major = section.partition(".")[0]
    if major.isdigit() and 0 < int(major) <= len(ROMAN):
        found.append(re.compile(rf"\b(?:Article|ARTICLE)\s+(?:{ROMAN[int(major) - 1]}|{major})\b"))
    return found


def _by_name(text: str, section: str, names: Iterable[str], own: list[Stretch], others: list[Stretch]) -> Stretch | None:
    for pattern in _general(section, tuple(names)):
        for m in pattern.finditer(text):
            if covered(m.span(), own):
                continue
            a, b = sentence_at(text, *m.span())
            sentence = text[a:b]
            if covered(m.span(), others):
                # New text of another provision may still switch this figure's test off.
                if _SWITCHED.search(text, m.end(), min(b, m.end() + 120)) and not _TELLS.search(sentence):
                    return a, b
                continue
            if _TELLS.search(sentence) and not re.search(r"\bhereby\b|\bagree\b", sentence):
                continue
            changed = (
                _OPERATES.search(sentence) is not None
                and not re.match(r"\s*(?:\([a-z]+\)\s*)?\"", sentence)
                and (EASES.search(sentence) is not None or not NEGATED.search(sentence[: m.start() - a]))
            )
            limited = (
                LEVEL.search(sentence) is not None
                and not _CONDITION.search(sentence)
                and (_LIMITS.search(sentence) or _ANY.search(sentence)) is not None
            )
            if (changed and (not _CONDITION.search(sentence[: m.start() - a]) or EASES.search(sentence))) or limited:
                return a, b
    return None


def _by_level(text: str, levels: Iterable[str], own: list[Stretch], others: list[Stretch]) -> Stretch | None:
    for level in levels:
        pattern = r"\"\s*" + r"\s+".join(re.escape(w) for w in level.split()) + r"\s*\""
        for m in re.finditer(pattern, text):
            if (
                not covered(m.span(), own)
                and not covered(m.span(), others)
                and not _FORM.search(text, *sentence_at(text, *m.span()))
            ):
                return sentence_at(text, *m.span())
    return None


_OTHER_INSTRUMENT = re.compile(
    r"(?<!\b[Tt]his )\b(?:(?:First|Second|Third|Fourth|Fifth|Sixth|Seventh|Eighth|Ninth|Tenth|Limited|Prior|Existing|Original|Letter|\w+teenth)\s+(?:\w+\s+)?(?:Amendment|Waiver|Consent)|Amendment\s+(?:No\.?|Number)\s*\w+|such\s+[Aa]mendment)"
    r"(?:\s+dated\s+(?:as\s+of\s+)?\w+\s+\d+,\s+\d+)?,?\s+(?:is|are|shall\s+be|be)\s+(?:hereby\s+)?(?:further\s+)?(?:amended|rescinded|revoked|terminated|cancell?ed|withdrawn|superseded|modified|null|void|deemed|of\s+no)\b"
)
_AS_AMENDED = re.compile(r"\b(?:as\s+(?:\w+\s+)?amended\b[^.;]{0,120}|by\s+(?:the|that\s+certain)\s+)$", re.IGNORECASE)


def _of_instrument(text: str, own: list[Stretch]) -> Stretch | None:
    """Where an instrument changes or ends another amendment: what that one did to the covenant is then open."""
    for m in _OTHER_INSTRUMENT.finditer(text):
        if not covered(m.span(), own) and not _AS_AMENDED.search(text[max(0, m.start() - 160) : m.start()]):
            return m.span()
    return None


def _by_annex(text: str) -> Stretch | None:
    """Where the whole agreement, or a part of it, is changed by an annex: the caller says whether the annex was read."""
    m = _WHOLESALE.search(text)
    return m.span() if m else None


def _left_over(text: str, own: list[Stretch], others: list[Stretch]) -> Stretch | None:
    """A level in an instrument that changes the covenant, outside of the words that were understood ("shall revert to ...")."""
    for m in LEVEL.finditer(text):
        if covered(m.span(), own) or covered(m.span(), others):
            continue
        a, b = sentence_at(text, *m.span())
        if (
            not _CONDITION.search(text, a, b)
            and not _FORM.search(text, a, b)
            and not _TELLS.search(text, a, b)
            and re.search(r"\b(?:shall|will|revert|returns?|thereafter|until)\b", text[a:b])
        ):
            return a, b
    return None


def unread_words(
    text: str,
    section: str,
    *,
    names: Iterable[str] = (),
    levels: Iterable[str] = (),
    own: list[Stretch] | None = None,
    others: list[Stretch] | None = None,
    later: bool = False,
) -> Stretch | None:
    """Where an instrument speaks of changing a covenant in words that no understood operation accounts for.

    Args:
        text: live text of the instrument.
        section: the provision in normal form.
        names: names of the figure, and the caption.
        levels: its levels as written.
        own: stretches of operations on the covenant that were understood; telling of them elsewhere is no change.
        others: stretches of operations on other provisions.
        later: the instrument is younger than the test date: only a waiver or the like can reach back to it.
    """
    own, others = own or [], others or []
    if later:
        place = _by_number(text, section, own, others) or _by_name(text, section, names, own, others)
        return place if place is not None and EASES.search(text, *place) else None
    return (
        _by_number(text, section, own, others)
        or _by_name(text, section, names, own, others)
        or _by_level(text, levels, own, others)
        or _of_instrument(text, own)
        or (_left_over(text, own, others) if own else _by_annex(text))
    )
