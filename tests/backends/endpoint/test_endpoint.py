"""The endpoint backend against a server that speaks the protocol: what is asked, and what is made of good answers."""

from __future__ import annotations

import datetime as dt
import json
import ssl
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from pydantic import ValidationError

from conformed.errors import PluginError
from conformed.hooks import load_registry
from conformed.ports import Backend
from conformed_plugins.backends.endpoint.backend import EndpointBackend
from conformed_plugins.backends.endpoint.options import EndpointOptions

Make = Callable[..., EndpointBackend]
NOW = dt.datetime.now(dt.UTC)


def reply(*texts: str, **more: Any) -> dict[str, Any]:
    """An answer as a server writes it."""
    choices = [{"index": i, "message": {"content": t}, "finish_reason": "stop"} for i, t in enumerate(texts)]
    return {"model": "big", "choices": choices, "usage": {"prompt_tokens": 7, "completion_tokens": 3}, **more}


def test_it_is_a_backend_of_the_registry() -> None:
    """The backend comes by the plugin's name, fits the port, and says that it is not repeatable unless it is told to be."""
    registry = load_registry(env={})
    made = registry.create("backend", "endpoint", {"url": "https://models.bank.example/v1", "model": "big"})
    assert isinstance(made, Backend)
    assert made.repeatable is False
    told = registry.create("backend", "endpoint", {"url": "https://models.bank.example/v1", "model": "big", "repeatable": True})
    assert told.repeatable is True


def test_a_completion_is_what_the_server_said(server: Any, backend: Make) -> None:
    """Text, stop, counts and producer come from the answer; a token whose id is not told is -1, and no log-probability is made up."""
    server.turns = [reply("Forty-two.")]
    ((one,),) = backend().generate(["What?"], samples=1, seed=5, options={})
    assert (one.text, one.stop, one.tokens, one.prompt_tokens) == ("Forty-two.", "eos", (-1, -1, -1), 7)
    assert one.behaviour_logprobs == one.model_logprobs == ()
    assert one.producer.startswith("sha256:")


def test_options_become_the_protocols(server: Any, backend: Make) -> None:
    """Each option of generation is sent in the protocol's words, and without a temperature the most likely token is asked for."""
    server.turns = [reply("x")]
    schema = '{"type": "object"}'
    given = {"temperature": "0.7", "top_p": "0.95", "max_tokens": 9, "stop": ["\n"], "schema": schema, "thinking": "off"}
    backend(max_tokens=20).generate(["Q"], samples=1, seed=1, options=given)
    backend(max_tokens=20, limit_name="max_completion_tokens").generate(["Q"], samples=1, seed=1, options={})
    first, second = server.asked
    assert first["messages"] == [{"role": "user", "content": "Q"}]
    assert (first["model"], first["temperature"], first["top_p"], first["max_tokens"], first["stop"]) == (
        "big",
        0.7,
        0.95,
        9,
        ["\n"],
    )
    assert first["response_format"]["json_schema"]["schema"] == json.loads(schema)
    assert first["chat_template_kwargs"] == {"enable_thinking": False}
    assert (second["temperature"], second["max_completion_tokens"], second["stream"]) == (0, 20, False)


@pytest.mark.parametrize(
    "given",
    [
        {"beam": 4},
        {"temperature": 0.7},
        {"temperature": "0"},
        {"temperature": "-1"},
        {"temperature": "nan"},
        {"top_p": "1.5"},
        {"max_tokens": "9"},
        {"max_tokens": 0},
        {"max_tokens": True},
        {"stop": "x"},
        {"stop": [""]},
        {"schema": "[]"},
        {"schema": "{"},
        {"schema": {}},
        {"thinking": "maybe"},
    ],
)
def test_options_that_are_unknown_or_malformed_are_refused(server: Any, backend: Make, given: dict[str, Any]) -> None:
    """An option of another name or kind is refused by name before anything is sent."""
    with pytest.raises(PluginError, match=next(iter(given))):
        backend().generate(["Q"], samples=1, seed=1, options=given)
    assert server.seen == []


@pytest.mark.parametrize("samples", [0, -1, True])
def test_no_samples_are_no_question(server: Any, backend: Make, samples: int) -> None:
    """A number of samples that is none is refused, and nothing is sent."""
    with pytest.raises(PluginError, match="samples"):
        backend().generate(["Q"], samples=samples, seed=1, options={})
    assert server.seen == []


def test_samples_are_asked_for_one_by_one_with_seeds_of_their_own(server: Any, backend: Make) -> None:
    """Each sample of each prompt is a request with a seed that depends on the caller's seed, the prompt's place and the sample."""
    server.turns = [reply("a"), reply("b"), reply("c"), reply("d")]
    given = backend().generate(["P", "Q"], samples=2, seed=1, options={"temperature": "1"})
    assert [[one.text for one in row] for row in given] == [["a", "b"], ["c", "d"]]
    seeds = [one["seed"] for one in server.asked]
    assert len(set(seeds)) == 4
    assert all(0 <= seed < 2**31 for seed in seeds)
    server.asked.clear()
    backend().generate(["P", "Q"], samples=2, seed=1, options={"temperature": "1"})
    assert [one["seed"] for one in server.asked] == seeds


def test_samples_at_once_come_in_order(server: Any, backend: Make) -> None:
    """Asked for at once, samples are sorted by their index, with the token ids that the server gives."""
    found = reply("a", "b")
    found["choices"][0]["token_ids"], found["choices"][1]["token_ids"] = [4, 5], [6]
    found["choices"].reverse()
    server.turns = [found]
    ((one, two),) = backend(at_once=True).generate(["Q"], samples=2, seed=1, options={})
    assert (one.text, one.tokens, two.text, two.tokens) == ("a", (4, 5), "b", (6,))
    assert [ask["n"] for ask in server.asked] == [2]


def test_samples_at_once_without_counts_are_refused(server: Any, backend: Make) -> None:
    """Where it is not said how many tokens each of several completions has, none is guessed."""
    server.turns = [reply("a", "b")]
    with pytest.raises(PluginError, match="how many tokens"):
        backend(at_once=True).generate(["Q"], samples=2, seed=1, options={})


def test_log_probabilities_are_the_models_and_only_at_temperature_one_those_of_what_was_sampled(
    server: Any, backend: Make
) -> None:
    """At temperature 1 without truncation both are one; under any other sampling the behaviour's are left out, not confused."""
    logprobs = {"content": [{"token": "a", "logprob": -0.5}, {"token": "b", "logprob": 0}]}
    found = reply("ab")
    found["choices"][0]["logprobs"] = logprobs
    server.turns = [found]
    asking = backend(logprobs=True)
    results = [
        asking.generate(["Q"], samples=1, seed=1, options=given)[0][0]
        for given in ({"temperature": "1"}, {"temperature": "1", "top_p": "0.9"}, {"temperature": "0.7"}, {})
    ]
    assert [one.model_logprobs for one in results] == [(-0.5, 0.0)] * 4
    assert [one.behaviour_logprobs for one in results] == [(-0.5, 0.0), (), (), ()]
    assert {len(one.tokens) for one in results} == {2}
    assert all(ask["logprobs"] is True for ask in server.asked)


@pytest.mark.parametrize(("said", "tokens", "stop"), [("stop", 3, "eos"), ("length", 9, "length"), ("length", 3, "context")])
def test_stop_reasons_are_mapped(server: Any, backend: Make, said: str, tokens: int, stop: str) -> None:
    """The end token, the caller's bound, and the model's own room (it stopped short of the bound) are told apart."""
    found = reply("a", usage={"prompt_tokens": 1, "completion_tokens": tokens})
    found["choices"][0]["finish_reason"] = said
    server.turns = [found]
    ((one,),) = backend().generate(["Q"], samples=1, seed=1, options={"max_tokens": 9})
    assert one.stop == stop


def test_the_producer_is_address_model_and_fingerprint(server: Any, backend: Make) -> None:
    """Another fingerprint is another producer, another prompt is not; a pinned fingerprint refuses any other."""
    server.turns = [reply("a", system_fingerprint="f1"), reply("b", system_fingerprint="f1"), reply("c", system_fingerprint="f2")]
    rows = backend().generate(["P", "Q", "R"], samples=1, seed=1, options={})
    one, two, three = (row[0].producer for row in rows)
    assert one == two != three
    with pytest.raises(PluginError, match="fingerprint"):
        backend(fingerprint="f1").generate(["Q"], samples=1, seed=1, options={})


def test_the_model_must_be_listed_and_is_asked_for_once(server: Any, backend: Make) -> None:
    """The list is read before the first prompt is sent; a model that is not in it gets no prompt at all."""
    server.turns = [reply("a")]
    asking = backend()
    asking.generate(["P"], samples=1, seed=1, options={})
    asking.generate(["P"], samples=1, seed=1, options={})
    assert [(way, path) for way, path, _ in server.seen] == [("GET", "/v1/models"), *[("POST", "/v1/chat/completions")] * 2]
    server.models = {"data": [{"id": "other"}]}
    with pytest.raises(PluginError, match="does not list the model big"):
        backend().generate(["P"], samples=1, seed=1, options={})
    assert len(server.asked) == 2


@pytest.mark.parametrize("models", [[], {"data": "big"}, {"data": [{"name": "big"}]}, {"data": [{"id": 4}]}])
def test_a_malformed_list_of_models_is_none(server: Any, backend: Make, models: Any) -> None:
    """A list that cannot be read does not vouch for a model."""
    server.models = models
    with pytest.raises(PluginError, match="no list of models"):
        backend().generate(["P"], samples=1, seed=1, options={})
    assert server.asked == []


def test_the_key_goes_to_the_server_and_nowhere_else(server: Any, backend: Make, capfd: pytest.CaptureFixture[str]) -> None:
    """The key is read from the variable named, sent as a bearer, and stands in no message, representation or output."""
    server.turns = [lambda h: h.send_error(500)]
    asking = backend({"MODEL_KEY": "s3cret-k"}, key_from="MODEL_KEY")
    with pytest.raises(PluginError) as problem:
        asking.generate(["P"], samples=1, seed=1, options={})
    assert {headers.get("Authorization") for _, _, headers in server.seen} == {"Bearer s3cret-k"}
    shown = f"{problem.value} {problem.value!r} {asking!r} {vars(asking)} {vars(asking._transport)}"
    assert "s3cret-k" not in shown
    out = capfd.readouterr()
    assert "s3cret-k" not in out.out + out.err
    assert out.out == ""


@pytest.mark.parametrize("value", [None, "", "two words", "line\nbreak", "n\u00f6"])
def test_a_variable_without_a_key_is_refused_by_name(backend: Make, value: str | None) -> None:
    """A key that is not there, or is none, is told by the name of its variable and not by its value."""
    environment = {} if value is None else {"MODEL_KEY": value}
    with pytest.raises(PluginError, match="MODEL_KEY") as problem:
        backend(environment, key_from="MODEL_KEY")
    assert not value or value not in str(problem.value)


@pytest.mark.parametrize(
    "options",
    [
        {"url": "http://models.bank.example/v1"},
        {"url": "http://models.bank.example/v1", "plain_http": True},
        {"url": "http://127.0.0.1:8000/v1"},
        {"url": "http://127.0.0.1.evil.example/v1", "plain_http": True},
        {"url": "https://user:key@models.bank.example/v1"},
        {"url": "https://models.bank.example/v1?key=1"},
        {"url": "https://models.bank.example:99999/v1"},
        {"url": "ftp://models.bank.example"},
        {"url": "file:///etc/passwd"},
        {"url": "https://"},
        {"url": "https://a..b/v1"},
        {"url": "https://[::1/v1"},
        {"url": "https://" + "a" * 70 + ".example"},
        {"url": "https://host\\x/v1"},
        {"url": "https://%41.example/v1"},
        {"url": "https://b\u00e4nk.example/v1"},
        {"key_from": "sk-abc123"},
        {"proxy": "socks5://p:1"},
        {"api_key": "x"},
        {"tries": 0},
    ],
)
def test_unsafe_options_are_refused(options: dict[str, Any]) -> None:
    """No http but to this machine and by word, no key in an address or a field, no other scheme, no unknown option."""
    with pytest.raises(ValidationError):
        EndpointOptions.model_validate({"url": "https://models.bank.example/v1", "model": "big", **options})


def test_proxies_of_the_environment_are_not_used(server: Any, backend: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Variables that name a proxy change nothing; a proxy of the options is used."""
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    server.turns = [reply("a")]
    assert backend().generate(["P"], samples=1, seed=1, options={})[0][0].text == "a"
    with pytest.raises(PluginError, match="could not be spoken with"):
        backend(proxy="http://127.0.0.1:9").generate(["P"], samples=1, seed=1, options={})


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that vouches for itself, and its key."""
    import ipaddress

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(NOW - dt.timedelta(days=1))
        .not_valid_after(NOW + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    form = serialization.PrivateFormat.PKCS8
    private = key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
    (folder / "c.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "k.pem").write_bytes(private)
    return folder / "c.pem", folder / "k.pem"


def test_tls_is_checked_against_who_is_trusted(server: Any, backend: Make, tmp_path: Path) -> None:
    """A server whose certificate nobody trusted vouches for is not spoken with; with that certificate named it is."""
    public, private = certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(public, private)
    server.http.socket = context.wrap_socket(server.http.socket, server_side=True)
    server.turns = [reply("a")]
    url = server.url.replace("http://", "https://")
    with pytest.raises(PluginError, match="could not be spoken with"):
        backend(url=url, plain_http=False).generate(["P"], samples=1, seed=1, options={})
    assert server.seen == []
    trusting = backend(url=url, plain_http=False, certificates=str(public))
    assert trusting.generate(["P"], samples=1, seed=1, options={})[0][0].text == "a"


@pytest.mark.parametrize("text", [None, "no certificate"])
def test_certificates_that_cannot_be_read_are_refused(backend: Make, tmp_path: Path, text: str | None) -> None:
    """A file of certificates that is not there, or holds none, is refused by name."""
    path = tmp_path / "ca.pem"
    if text is not None:
        path.write_text(text)
    with pytest.raises(PluginError, match=r"ca\.pem"):
        backend(certificates=str(path))


def test_no_network_library_is_loaded_until_a_contract_makes_the_backend() -> None:
    """Loading every plugin's registration imports neither httpx nor stamina."""
    words = "import sys; from conformed.hooks import load_registry; load_registry(env={}).get('backend', 'endpoint'); print(sorted({'httpx', 'stamina'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
