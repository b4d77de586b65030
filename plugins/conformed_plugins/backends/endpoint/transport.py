"""Requests and answers over HTTP: bounded in time, size and tries, to one place only, and silent about what they carry.

No message holds words of a request or of an answer: a server's error often repeats the prompt.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import ssl
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import Any, NoReturn

import httpx
import stamina
from stamina.instrumentation import RetryDetails, get_on_retry_hooks, set_on_retry_hooks
from stamina.instrumentation import RetryHook as Hook

from conformed.errors import PluginError
from conformed_plugins.backends.endpoint.options import EndpointOptions

__all__ = ["Transport"]

_AGAIN = frozenset({408, 429, 500, 502, 503, 504})


class _AgainError(Exception):
    """An attempt that failed and may be made again."""

    def __init__(self, found: str, wait: float | None = None) -> None:
        self.found, self.wait = found, wait
        super().__init__(found)


class Transport:
    """One server. Follows no redirect, uses no proxy of the environment, and keeps its key to itself.

    Args:
        options: the endpoint.
        environment: where the key is; the process's own by default.
        clock: seconds that only grow.

    Raises:
        PluginError: when the key or the file of certificates is not there.
    """

    def __init__(
        self, options: EndpointOptions, environment: Mapping[str, str] | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._options, self._clock = options, clock
        self._who = f"The endpoint {options.url}"
        headers = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "conformed"}
        if options.key_from is not None:
            headers["Authorization"] = f"Bearer {_key(options.key_from, os.environ if environment is None else environment)}"
        times = httpx.Timeout(min(options.silence_s, options.answer_s), connect=options.connect_s)
        self._client = httpx.Client(
            headers=headers, timeout=times, verify=_trusted(options), proxy=options.proxy, trust_env=False, follow_redirects=False
        )
        _keep_quiet()

    def ask(self, method: str, path: str, question: object = None) -> Any:
        """Sends JSON (or nothing) and gives the JSON of the answer.

        Args:
            method: GET or POST.
            path: what is put behind the base address.
            question: the body.

        Raises:
            PluginError: when no good answer came, in one sentence.
        """
        body = None if question is None else json.dumps(question, ensure_ascii=True, allow_nan=False).encode("ascii")
        options = self._options
        trouble = ""
        again = stamina.RetryingCaller(
            attempts=options.tries, timeout=None, wait_initial=options.wait_ms / 1000, wait_max=options.most_wait_s,
            wait_jitter=options.wait_ms / 1000,
        )  # fmt: skip
        try:
            return again(_whether, lambda: self._once(method, path, body))
        except _AgainError as problem:
            trouble = problem.found
        raise PluginError(f"{self._who} {trouble} ({options.tries} tries).", "Ask who runs it, or try again later.")

    def close(self) -> None:
        """Closes the connections."""
        self._client.close()

    def _once(self, method: str, path: str, body: bytes | None) -> Any:
        """One attempt. An error of the library is put into words of ours outside of its handler: it holds the request."""
        trouble = ""
        headers = {} if body is None else {"Content-Type": "application/json"}
        until = self._clock() + self._options.answer_s
        try:
            with self._client.stream(method, self._options.url + path, content=body, headers=headers) as answer:
                self._status(answer)
                data: bytes | None = self._body(answer, until)
        except httpx.TimeoutException:
            trouble = "did not answer in time"
        except httpx.HTTPError as problem:
            trouble = f"could not be spoken with ({type(problem).__name__})"
        except (httpx.InvalidURL, UnicodeError):
            data = None
        if trouble:
            raise _AgainError(trouble)
        return self._json(data) if data is not None else self._refuse("has an address that no name server takes", "Mend `url`.")

    def _status(self, answer: httpx.Response) -> None:
        status = answer.status_code
        if status == httpx.codes.OK:
            if answer.headers.get("content-encoding", "identity") != "identity":
                self._refuse("answered with packed bytes, which were not asked for", "Turn compression off.")
            return
        if status in _AGAIN:
            wait = _asked_wait(answer.headers.get("retry-after"))
            if wait is not None and wait > self._options.most_wait_s:
                self._refuse(f"answered {status} and asks for a longer wait than is allowed", "Try again later.")
            raise _AgainError(f"answered {status}", wait)
        if 300 <= status < 400:
            self._refuse(f"answered {status} and points elsewhere; that is not followed", "Name the right address in `url`.")
        if status in {401, 403}:
            self._refuse(f"answered {status}: the key is missing or not accepted", "Look at the variable that `key_from` names.")
        self._refuse(f"answered {status}", "Ask who runs it; 400 often means that the prompt is too long or an option unknown.")

    def _body(self, answer: httpx.Response, until: float) -> bytes:
        parts, size = [], 0
        for part in answer.iter_raw():  # as it comes: a set size would be waited for
            size += len(part)
            if size > self._options.most_bytes:
                self._refuse(f"answered with more than {self._options.most_bytes} bytes", "Ask for fewer tokens.")
            if self._clock() > until:
                raise _AgainError(f"took longer than {self._options.answer_s} seconds for one answer")
            parts.append(part)
        return b"".join(parts)

    def _json(self, data: bytes) -> Any:
        found, right = None, True
        try:
            found = json.loads(data.decode("utf-8"), parse_constant=_no_constant)
        except (ValueError, RecursionError):
            right = False
        return found if right else self._refuse("answered with something that is no JSON", "Ask who runs it.")

    def _refuse(self, what: str, mend: str) -> NoReturn:
        raise PluginError(f"{self._who} {what}.", mend)


def _no_constant(_name: str) -> NoReturn:
    raise ValueError


def _whether(problem: Exception) -> bool | float:
    """Whether to try again: False, True for the usual wait, or the seconds that the server asks for."""
    if not isinstance(problem, _AgainError):
        return False
    return True if problem.wait is None else problem.wait


def _asked_wait(header: str | None) -> float | None:
    """Seconds that ``Retry-After`` asks for; None where it says nothing that can be read."""
    text = (header or "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        until = parsedate_to_datetime(text)
    except (ValueError, TypeError):
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=dt.UTC)
    return max(0.0, (until - dt.datetime.now(dt.UTC)).total_seconds())


def _key(variable: str, environment: Mapping[str, str]) -> str:
    key = environment.get(variable, "")
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        raise PluginError(f"The environment variable {variable} holds no key.", "Set it to the endpoint's key before the run.")
    return key


def _trusted(options: EndpointOptions) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=None if options.certificates is None else str(options.certificates))
    except OSError as problem:  # ssl.SSLError is one
        raise PluginError(f"The certificates {options.certificates} cannot be read.", "Give a PEM file.") from problem


def _keep_quiet() -> None:
    """Takes our retries out of what stamina prints for every retry, which would go among the results on standard output."""

    def quiet(hook: Hook) -> Hook:
        def told(details: RetryDetails) -> Any:
            return None if isinstance(details.caused_by, _AgainError) else hook(details)

        told.conformed = True  # type: ignore[attr-defined]
        return told

    hooks = get_on_retry_hooks()
    if not all(hasattr(hook, "conformed") for hook in hooks):
        set_on_retry_hooks([hook if hasattr(hook, "conformed") else quiet(hook) for hook in hooks])
