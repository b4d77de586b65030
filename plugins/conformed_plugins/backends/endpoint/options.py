"""Options of the endpoint, apart from what it does, so that listing plugins imports no network library."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

__all__ = ["LOCAL", "EndpointOptions"]

LOCAL = frozenset({"127.0.0.1", "::1", "localhost"})
"""Hosts to which a request may go without TLS, where the options say so."""
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{0,63}")
_SHOWN = re.compile(r"[\x21-\x7e]{1,400}")
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_HOST = re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})*\.?|[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*")


def _address(url: str) -> str:
    parts = urlsplit(url)
    if _SHOWN.fullmatch(url) is None or parts.scheme not in {"http", "https"} or not _HOST.fullmatch(parts.hostname or ""):
        raise ValueError("give https:// (or http:// for this machine) and the name or the number of a host")
    if parts.username is not None or parts.password is not None or "?" in url or "#" in url:
        raise ValueError("give no more than a host, a port and a path; a key goes into an environment variable")
    if not isinstance(parts.port, int | None):  # reading the port refuses one that is none
        raise TypeError
    return url.rstrip("/")


def _variable(name: str) -> str:
    if not _VARIABLE.fullmatch(name):
        raise ValueError("give the name of an environment variable (capitals, digits, _), never the key itself")
    return name


Address = Annotated[str, AfterValidator(_address)]


class EndpointOptions(BaseModel):
    """Options of the backend. They stand in the contract, so that no key does."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: Address
    """Base address, such as ``https://models.bank.example/v1``; ``/chat/completions`` and ``/models`` are put behind it."""
    model: str = Field(min_length=1, max_length=200)
    """Name of the model. The server must list it, and sign its answers with it."""
    answers_as: str = ""
    """The name with which the server signs its answers, where it is another (a dated one); empty where it is the same."""
    fingerprint: str = ""
    """The ``system_fingerprint`` that every answer must bear; empty where none is pinned."""
    lists_models: bool = True
    """Whether the server lists its models. Where it does not, only the name in its answers is checked."""
    key_from: Annotated[str, AfterValidator(_variable)] | None = None
    """Environment variable that holds the key; None where the server asks for none."""
    plain_http: bool = False
    """Whether http:// is allowed, to this machine alone."""
    certificates: Path | None = None
    """File with the certificates (PEM) of those who vouch for the server; None takes the system's."""
    proxy: Address | None = None
    """A proxy through which requests go. What the environment says of proxies is never used."""
    repeatable: bool = False
    """Whether whoever runs the server warrants that a seed makes its output repeatable. Few can: batches change sums."""
    at_once: bool = False
    """Whether several samples are asked for in one request. The server must then give token ids or log-probabilities."""
    at_a_time: int = Field(default=4, ge=1, le=64)
    """How many requests are under way at a time. What comes back does not depend on it, but for a server whose batches matter."""
    logprobs: bool = False
    """Whether log-probabilities are asked for. They are taken to be the plain model's, before temperature and truncation."""
    max_tokens: int = Field(default=1024, ge=1, le=1_000_000)
    """Most tokens of a completion, where the caller sets no lower bound."""
    limit_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    """What the server calls that bound."""
    connect_s: int = Field(default=10, ge=1, le=600)
    """How long a connection may take, in seconds."""
    silence_s: int = Field(default=120, ge=1, le=3600)
    """How long the server may say nothing, in seconds."""
    answer_s: int = Field(default=600, ge=1, le=7200)
    """How long one answer may take from request to last byte, in seconds."""
    tries: int = Field(default=4, ge=1, le=20)
    """How often a request is made before it is given up."""
    wait_ms: int = Field(default=500, ge=1, le=60_000)
    """First wait before another try, in milliseconds; it doubles each time."""
    most_wait_s: int = Field(default=60, ge=1, le=3600)
    """Longest wait; a server that asks for a longer one is given up."""
    most_bytes: int = Field(default=16 << 20, ge=1024, le=1 << 30)
    """Largest answer, in bytes."""

    @model_validator(mode="after")
    def _safe(self) -> EndpointOptions:
        parts = urlsplit(self.url)
        if parts.scheme == "http" and not (self.plain_http and parts.hostname in LOCAL):
            raise ValueError("http:// is for this machine alone (127.0.0.1, ::1, localhost), with plain_http: true; use https://")
        return self
