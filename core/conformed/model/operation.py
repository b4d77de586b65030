"""Operations: what an instrument does to the agreement, and from when."""

from __future__ import annotations

import datetime
from enum import StrEnum

from conformed.model.base import Exact, Frozen
from conformed.model.calculation import Certificate
from conformed.model.covenant import Comparator, CovenantTerms, Doubt, Limit
from conformed.model.dates import Window
from conformed.model.election import Election
from conformed.model.span import Span

__all__ = ["EffectiveMode", "Effectiveness", "Extraction", "Op", "Operation", "Place", "Target"]


class Op(StrEnum):
    """Kinds of operation."""

    STATE_COVENANT = "state_covenant"
    SET_LEVEL = "set_level"
    SUBSTITUTE_TEXT = "substitute_text"
    REPLACE_PROVISION = "replace_provision"
    REPLACE_TABLE = "replace_table"
    REPLACE_ROW = "replace_row"
    ADD_PROVISION = "add_provision"
    DELETE_PROVISION = "delete_provision"
    DEFINE = "define"
    REPLACE_DEFINITION = "replace_definition"
    AMEND_DEFINITION = "amend_definition"
    RESTATE_AGREEMENT = "restate_agreement"
    TEMPORARY_LEVEL = "substitute_level_temporary"
    SUSPEND_TESTING = "suspend_testing"
    ELECT_INCREASE = "elect_increase"
    WAIVE_TEST = "waive_test"
    GIVE_CONSENT = "give_consent"
    CURE_RIGHT = "cure_right"
    OTHER_CHANGE = "other_change"
    TERMINATE_AGREEMENT = "terminate_agreement"


class Place(StrEnum):
    """Where in a text an edit puts its words, or which words it takes out."""

    INSTEAD = "instead"
    AFTER = "after"
    BEFORE = "before"
    END = "end"
    CUT = "cut"
    LAST_SENTENCE = "last_sentence"


class EffectiveMode(StrEnum):
    """How an operation gets its effective date (rule book 3.2)."""

    ON_CLOSING = "on_closing"
    ON_SIGNING = "on_signing"
    FIXED = "fixed"
    ON_CP = "on_cp"
    ON_EVENT = "on_event"
    LATER_OF = "later_of"
    AS_OF_ON_CP = "as_of_on_cp"
    AS_OF = "as_of"


class Effectiveness(Frozen):
    """When an operation starts to count, as its words say."""

    mode: EffectiveMode
    """How the date is found."""
    date: datetime.date | None = None
    """Fixed date, or the date reached back to."""
    long_stop: datetime.date | None = None
    """Day after which unmet conditions end the instrument."""
    waives_default: bool = False
    """Whether a default that the change removes is waived."""
    event: str = ""
    """The event or condition as written, short."""
    spans: tuple[Span, ...] = ()
    """The words."""


class Target(Frozen):
    """What an operation works on, as the instruction names it."""

    section: str = ""
    """Provision in normal form."""
    caption: str = ""
    """Caption that the instruction quotes beside the number."""
    term: str = ""
    """Defined term, for definitions."""
    row: str = ""
    """Label of a row."""
    agreement: str = ""
    """The agreement (or instrument) named, as written."""
    spans: tuple[Span, ...] = ()
    """Where it is named."""


class Operation(Frozen):
    """One change, statement, waiver or election that an instrument makes. Proposed by an extractor, checked before use."""

    id: str
    """Name inside the run: document and ordinal."""
    op: Op
    """Kind."""
    document: str
    """Document that makes it."""
    target: Target
    """What it works on."""
    effective: Effectiveness
    """From when."""
    terms: tuple[CovenantTerms, ...] = ()
    """Covenant terms that the new text states, if it states any."""
    payload: tuple[Span, ...] = ()
    """The new text."""
    find: str = ""
    """Words to be replaced, for a substitution."""
    place: Place = Place.INSTEAD
    """Where the new words go: instead of those that ``find`` gives, after or before them, or at the end of the text."""
    replace: str = ""
    """Words that replace them."""
    replace_spans: tuple[Span, ...] = ()
    """Where the replacing words stand."""
    limit: Limit | None = None
    """A level set without new text (``shall be 4.25 to 1.00``)."""
    from_period: datetime.date | None = None
    """First period end that the change covers, if the instruction says so; earlier ones keep the old text."""
    windows: tuple[Window, ...] = ()
    """Days covered, for temporary levels, suspensions and waivers."""
    ceiling: Limit | None = None
    """A waiver's own ceiling."""
    ceiling_comparator: Comparator | None = None
    """What the ratio must be against that ceiling; None where the words do not show it."""
    ceiling_metric: str = ""
    """Normal name of that ratio, where the waiver names one; empty for the covenant's own."""
    ends_on: datetime.date | None = None
    """Day on which a waiver or relief ends."""
    ends_early_on: str = ""
    """What may end it early, as written, short."""
    delta: Exact | None = None
    """What an election adds."""
    cap: Exact | None = None
    """Its ceiling."""
    election: Election | None = None
    """For an election: what the papers show of its conditions."""
    doubts: tuple[Doubt, ...] = ()
    """What the words leave open."""
    instruction: tuple[Span, ...] = ()
    """The words that give the instruction."""


class Extraction(Frozen):
    """What an extractor proposes of a case file. Nothing in it is used before its spans were checked."""

    operations: tuple[Operation, ...] = ()
    """Statements and changes, in order of document and place."""
    rejected: tuple[Doubt, ...] = ()
    """Ratios that were seen and are no covenant (pricing grids, incurrence tests, forms), each with its code."""
    certificates: tuple[Certificate, ...] = ()
    """Compliance certificates that were read into figures."""
    producer: str = ""
    """Plugin name and version; where a model was asked, its backend, and the digest of each model and condition that answered."""
