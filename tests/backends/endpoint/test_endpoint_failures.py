"""The endpoint backend against a server that breaks the protocol: an error of ours in one sentence, and never a completion."""

from __future__ import annotations

import json
import socket
import struct
import time
from collections.abc import Callable
from contextlib import closing, suppress
from email.utils import formatdate
from typing import Any

import pytest
import stamina
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformed.errors import PluginError
from conformed_plugins.backends.endpoint.backend import EndpointBackend
from conformed_plugins.backends.endpoint.options import EndpointOptions
from conformed_plugins.backends.endpoint.protocol import body_of, completions_of
from conformed_plugins.backends.endpoint.transport import Transport, _asked_wait

Make = Callable[..., EndpointBackend]
PROMPT = "The secret words of the document"
GOOD: dict[str, Any] = {
    "model": "big",
    "choices": [{"index": 0, "message": {"content": "fine"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1},
}


def send(handler: Any, status: int, body: bytes, **headers: str) -> None:
    """Sends an answer, its length told."""
    handler.send_response(status)
    handler.send_header("Content-Length", headers.pop("length", str(len(body))))
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


def refused(asking: EndpointBackend) -> str:
    """What the backend says when it is asked: one sentence with its mend, without the prompt, with no chain that holds it."""
    with pytest.raises(PluginError) as problem:
        asking.generate([PROMPT], samples=1, seed=1, options={})
    told = str(problem.value)
    assert "secret" not in told
    assert problem.value.found.count("\n") == 0
    assert problem.value.mend
    assert problem.value.__cause__ is None
    return told


def echo(status: int) -> Callable[[Any], None]:
    """Answers with an error that repeats the prompt, as servers do."""
    return lambda handler: send(handler, status, json.dumps({"error": {"message": PROMPT}}).encode())


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_a_passing_trouble_is_tried_again(server: Any, backend: Make, status: int) -> None:
    """After a failure that passes, the next answer counts."""
    server.turns = [echo(status), GOOD]
    assert backend().generate([PROMPT], samples=1, seed=1, options={})[0][0].text == "fine"
    assert len(server.asked) == 2
    assert server.asked[0] == server.asked[1]


def test_a_lasting_trouble_is_given_up(server: Any, backend: Make) -> None:
    """After the tries that are allowed the request is given up, with the status and no word of the server."""
    server.turns = [echo(500)]
    assert "answered 500 (3 tries)" in refused(backend())
    assert len(server.asked) == 3


@pytest.mark.parametrize("status", [400, 404, 413, 422, 201, 204])
def test_another_status_is_not_tried_again(server: Any, backend: Make, status: int) -> None:
    """What the next try would not mend ends at once."""
    server.turns = [echo(status) if status != 204 else lambda h: (h.send_response(204), h.end_headers())]
    assert f"answered {status}" in refused(backend())
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_told_as_such(server: Any, backend: Make, status: int) -> None:
    """Where the key is not accepted, the message says where it is named."""
    server.turns = [echo(status)]
    assert "key_from" in refused(backend())


def test_the_server_says_how_long_to_wait(server: Any, backend: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """``Retry-After`` is kept to: the wait is the server's and not the usual one."""
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    server.turns = [lambda h: send(h, 429, b"", Retry_After="3"), GOOD]
    assert backend().generate([PROMPT], samples=1, seed=1, options={})[0][0].text == "fine"
    assert waits == [3.0]


def test_a_wait_that_is_too_long_is_given_up(server: Any, backend: Make) -> None:
    """A server that asks for more than is allowed is not waited for."""
    server.turns = [lambda h: send(h, 429, b"", Retry_After="3600")]
    assert "longer wait" in refused(backend())
    assert len(server.asked) == 1


def test_waits_as_dates_are_read() -> None:
    """``Retry-After`` may be a date; one that has passed is no wait, and what cannot be read says nothing."""
    assert 90 < (_asked_wait(formatdate(time.time() + 100, usegmt=True)) or 0) <= 100
    assert _asked_wait(formatdate(time.time() - 100, usegmt=True)) == 0
    assert [_asked_wait(text) for text in (None, "", "soon", "-3", "1e9", "\u0663")] == [None] * 6


def test_a_silent_server_is_given_up(server: Any, backend: Make) -> None:
    """A server that accepts and says nothing is given up after the silence that is allowed."""
    server.turns = [lambda h: time.sleep(1.5)]
    began = time.monotonic()
    assert "did not answer in time" in refused(backend(silence_s=1, tries=1))
    assert time.monotonic() - began < 5


def test_a_dribbling_body_is_given_up(server: Any, backend: Make) -> None:
    """A server that sends a byte now and then never falls silent; the bound on the whole answer ends it."""

    def dribble(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "100000")
        handler.end_headers()
        try:
            for _ in range(60):
                handler.wfile.write(b" ")
                handler.wfile.flush()
                time.sleep(0.05)
        except OSError:
            pass

    server.turns = [dribble]
    began = time.monotonic()
    assert "longer than 1 seconds" in refused(backend(answer_s=1, tries=1))
    assert time.monotonic() - began < 3


def test_a_huge_body_is_cut_off(server: Any, backend: Make) -> None:
    """An answer that is larger than allowed is not read to its end."""
    sent = []

    def flood(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(1 << 30))
        handler.end_headers()
        try:
            for _ in range(1 << 14):
                handler.wfile.write(b" " * 65_536)
                sent.append(1)
        except OSError:
            pass

    server.turns = [flood]
    assert "more than 100000 bytes" in refused(backend(most_bytes=100_000))
    assert len(sent) < 1000


def test_a_reset_connection_is_tried_again_and_given_up(server: Any, backend: Make) -> None:
    """A connection that the server resets is an error of ours once the tries are used up."""

    def reset(handler: Any) -> None:
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        handler.connection.close()
        handler.close_connection = True

    server.turns = [reset]
    assert "could not be spoken with" in refused(backend())
    assert len(server.asked) == 3


def test_nobody_there(server: Any, backend: Make) -> None:
    """An address at which nobody listens is an error of ours."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    assert "could not be spoken with" in refused(backend(url=f"http://127.0.0.1:{port}"))


def test_a_name_that_is_none(backend: Make) -> None:
    """A host that looks like a name and is none is an error of ours, too."""
    assert "no name server takes" in refused(backend(url="https://xn--zzzzzz.example", plain_http=False))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(server: Any, backend: Make, status: int) -> None:
    """A redirect to elsewhere is refused; neither prompt nor key goes there."""
    server.turns = [lambda h: send(h, status, b"", Location=f"{server.url}/elsewhere")]
    assert "points elsewhere" in refused(backend({"K": "key"}, key_from="K"))
    assert {path for _, path, _ in server.seen} == {"/v1/models", "/v1/chat/completions"}
    assert len(server.asked) == 1


def test_packed_bytes_are_refused(server: Any, backend: Make) -> None:
    """An answer that unpacks to more than it weighs is not unpacked."""
    import gzip

    server.turns = [lambda h: send(h, 200, gzip.compress(b" " * 10_000_000), Content_Encoding="gzip")]
    assert "packed" in refused(backend())


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        json.dumps(GOOD).encode()[:-9],
        b"\xff\xfe",
        b"[" * 200_000,
        b"NaN",
        b"<html>",
        b"1" * 5000,
        b'{"model": Infinity}',
    ],
)
def test_what_is_no_json_is_refused(server: Any, backend: Make, body: bytes) -> None:
    """Truncated, nested without end, of another encoding, or of another kind: no such body is read."""
    server.turns = [lambda h: send(h, 200, body)]
    assert "no JSON" in refused(backend())


def test_a_body_shorter_than_told_is_refused(server: Any, backend: Make) -> None:
    """A body that ends before its length is a broken connection and no answer."""

    def short(handler: Any) -> None:
        send(handler, 200, json.dumps(GOOD).encode(), length="9999")
        handler.close_connection = True
        handler.connection.shutdown(socket.SHUT_RDWR)

    server.turns = [short]
    assert "could not be spoken with" in refused(backend())


def with_choice(**more: Any) -> dict[str, Any]:
    """The good answer with something else in its completion."""
    return {**GOOD, "choices": [{**GOOD["choices"][0], **more}]}


WRONG: list[Any] = [
    [],
    "fine",
    None,
    {},
    {**GOOD, "choices": None},
    {**GOOD, "choices": "fine"},
    {**GOOD, "choices": []},
    {**GOOD, "choices": GOOD["choices"] * 2},
    {**GOOD, "choices": [*GOOD["choices"], {"index": 1, "message": {"content": "x"}, "finish_reason": "stop"}]},
    {**GOOD, "model": None},
    {**GOOD, "model": "other"},
    {**GOOD, "usage": None},
    {**GOOD, "usage": {"prompt_tokens": "1", "completion_tokens": 1}},
    {**GOOD, "usage": {"prompt_tokens": 1, "completion_tokens": -1}},
    {**GOOD, "usage": {"prompt_tokens": 1, "completion_tokens": 10**12}},
    {**GOOD, "usage": {"prompt_tokens": 1}},
    with_choice(index=1),
    with_choice(index="0"),
    with_choice(index=True),
    with_choice(message={"content": None}),
    with_choice(message={"content": ["fine"]}),
    with_choice(message={"content": 4}),
    with_choice(message={}),
    with_choice(message={"content": "fine", "refusal": "I would rather not"}),
    with_choice(message={"content": "\ud800"}),
    with_choice(finish_reason="content_filter"),
    with_choice(finish_reason="tool_calls"),
    with_choice(finish_reason=None),
    with_choice(finish_reason=""),
    with_choice(logprobs={"content": [{"logprob": "-1"}]}),
    with_choice(logprobs={"content": [{"logprob": 2.5}]}),
    with_choice(logprobs={"content": [{}]}),
    with_choice(token_ids=["a"]),
    with_choice(token_ids=[1], logprobs={"content": [{"logprob": -1}, {"logprob": -1}]}),
]


@pytest.mark.parametrize("wrong", WRONG, ids=range(len(WRONG)))
def test_an_answer_of_another_shape_is_refused(server: Any, backend: Make, wrong: Any) -> None:
    """Wrong types, too few or too many choices, another model, a filter, a refusal, no counts: nothing is filled in."""
    server.turns = [wrong]
    refused(backend())
    assert len(server.asked) == 1


def test_one_bad_answer_of_several_refuses_them_all(server: Any, backend: Make) -> None:
    """A row of samples is whole or it is not there."""
    server.turns = [GOOD, with_choice(finish_reason="content_filter")]
    with pytest.raises(PluginError, match="makes it none"):
        backend().generate([PROMPT], samples=2, seed=1, options={})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(sorted({*GOOD, *GOOD["choices"][0], "content"})), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(JSON)
def test_any_json_is_a_completion_or_an_error_of_ours(wrong: Any) -> None:
    """Whatever JSON an answer is, no foreign exception comes of it."""
    options = EndpointOptions(url="https://models.bank.example", model="big")
    body = body_of(PROMPT, 1, 1, {}, options)
    for one in (wrong, {**GOOD, "choices": [wrong]}, {**GOOD, "usage": wrong}, {**GOOD, "choices": wrong}):
        with suppress(PluginError):
            (made,) = completions_of(one, body, options)
            assert made.text == one["choices"][0]["message"]["content"]


def test_retries_print_nothing_and_leave_the_hooks_of_others(
    server: Any, backend: Make, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """Retries of ours are not printed or logged; whoever else retries with the same library is told as before."""
    told: list[str] = []
    stamina.instrumentation.set_on_retry_hooks([lambda details: told.append(details.name)])
    try:
        server.turns = [echo(500)]
        refused(backend())
        assert told == []

        @stamina.retry(on=KeyError, attempts=2, wait_initial=0.001, wait_jitter=0)
        def other() -> None:
            raise KeyError

        with pytest.raises(KeyError):
            other()
        assert len(told) == 1
    finally:
        stamina.instrumentation.set_on_retry_hooks(None)
    server.turns = [echo(500)]
    refused(backend())
    out = capfd.readouterr()
    assert (out.out, out.err, caplog.text) == ("", "", "")


def test_the_clock_is_handed_in(server: Any) -> None:
    """The bound on an answer is measured by the clock that the caller gives."""
    times = iter([0.0, 10_000.0])
    options = EndpointOptions(url=server.url, model="big", plain_http=True, tries=1)
    with (
        closing(Transport(options, {}, lambda: next(times))) as asked,
        pytest.raises(PluginError, match="longer than 600 seconds"),
    ):
        asked.ask("GET", "/models")
