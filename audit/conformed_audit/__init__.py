"""The append-only log: records, chain, SQLite store, verification. Reads and runs alone; imports nothing of the product.

with AuditLog.open("log.db", origin="bank.example/prod", clock=utc_now) as log:
    log.append([RecordDraft(case="c1", kind=Kind.CASE_OPENED, actor=Actor("svc:engine", "engine"))])
result = verify("log.db")
"""

from __future__ import annotations

from conformed_audit.blob import Blob, commitment, make_blob
from conformed_audit.clock import utc_now
from conformed_audit.encode import JSON, decimal_text, decode, encode, time_text
from conformed_audit.errors import (
    AlreadyRecordedError,
    AuditError,
    BlobError,
    BusyError,
    ClosedError,
    CommitError,
    DiskFullError,
    DraftError,
    NewerSchemaError,
    NotALogError,
    NotCanonicalError,
    OriginError,
    PlaceError,
    RefusedError,
    StoreError,
    TamperedError,
)
from conformed_audit.log import AuditLog, CaseRow
from conformed_audit.record import Actor, Authz, Failure, Item, Kind, Pins, Record, RecordDraft
from conformed_audit.verify import Expected, Finding, Trust, VerifyResult, verify

__all__ = [
    "JSON",
    "Actor",
    "AlreadyRecordedError",
    "AuditError",
    "AuditLog",
    "Authz",
    "Blob",
    "BlobError",
    "BusyError",
    "CaseRow",
    "ClosedError",
    "CommitError",
    "DiskFullError",
    "DraftError",
    "Expected",
    "Failure",
    "Finding",
    "Item",
    "Kind",
    "NewerSchemaError",
    "NotALogError",
    "NotCanonicalError",
    "OriginError",
    "Pins",
    "PlaceError",
    "Record",
    "RecordDraft",
    "RefusedError",
    "StoreError",
    "TamperedError",
    "Trust",
    "VerifyResult",
    "commitment",
    "decimal_text",
    "decode",
    "encode",
    "make_blob",
    "time_text",
    "utc_now",
    "verify",
]
