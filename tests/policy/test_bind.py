"""Binding: exactly one plugin a name, of the pinned version, from an allowed source, with options of the right types."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from conformed.errors import PluginError, PolicyError
from conformed.hooks import Failure, Origin, Registration, Registry
from conformed.hooks.registry import Implementation
from conformed.policy.bind import bind
from conformed.policy.load import Loaded
from conformed.policy.schema import StepName, TaskContract
from conformed.policy.steps import ORDERS, Application

Write = Callable[..., Loaded[TaskContract]]
Register = Callable[..., Registration]
INDEX = "{plugin: index, version: 1.0.0}"


def test_each_name_is_bound_to_its_plugin_in_the_contracts_order(write: Write, registry: Registry) -> None:
    """Seven steps; plugins in order; steps of rules have none; digest and path are those of the file."""
    loaded = write()
    bound = bind(loaded, registry)
    assert [one.step.name for one in bound.steps] == list(ORDERS[Application.COVENANT])
    assert [one.name for one in bound.step("extract").plugins] == ["clauses 1.0.0", "certificate 1.0.0"]
    assert bound.step(StepName.PRECEDENCE).plugins == ()
    assert (bound.digest, bound.path, bound.registry) == (loaded.digest, "good.yaml", registry)
    with pytest.raises(KeyError):
        bound.step("person")


def test_options_get_the_types_of_the_plugins_model(write: Write, registry: Registry) -> None:
    """Text of the contract becomes what the options model asks for, and the object is made with it."""
    loaded = write((INDEX, "{plugin: index, version: 1.0.0, options: {most: 25, exact: true, words: [010, no]}}"))
    (plugin,) = bind(loaded, registry).step("retrieve").plugins
    assert plugin.options == {"most": 25, "exact": True, "words": ["010", "no"]}
    made = plugin.create()
    assert (made.options.most, made.options.exact, made.options.words) == (25, True, ("010", "no"))


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ("{most: 010}", "good.yaml:15:117: retriever index: '010' is not a whole number"),
        ("{exact: yes}", "good.yaml:15:118: retriever index: 'yes' is neither true nor false"),
        ("{mots: 1}", "good.yaml:15:117: retriever index: the key 'mots' is not known here. Did you mean 'most'"),
        ("{words: abc}", "good.yaml:15:118: retriever index: option words"),
    ],
)
def test_refused_options_are_shown_at_their_place(write: Write, registry: Registry, options: str, found: str) -> None:
    """A wrong option is refused when the contract is bound, with line and column."""
    with pytest.raises(PolicyError) as caught:
        bind(write((INDEX, INDEX.replace("}", f", options: {options}}}"))), registry)
    assert str(caught.value).startswith(found)


def test_no_plugin_of_a_name(write: Write, registry: Registry) -> None:
    """A name that nobody registered is refused at the key, with the names there are."""
    with pytest.raises(PolicyError, match=r"good.yaml:15:78: there is no retriever 'indx'. Registered: index"):
        bind(write((INDEX, INDEX.replace("index", "indx"))), registry)


def test_a_name_of_another_kind_does_not_count(write: Write, registry: Registry) -> None:
    """A reader named like the retriever is not the retriever."""
    with pytest.raises(PolicyError, match="there is no retriever 'text'"):
        bind(write((INDEX, INDEX.replace("index", "text"))), registry)


def test_two_plugins_of_a_name(write: Write, registry: Registry, register: Register) -> None:
    """A registry that was not made by the loader and holds a name twice is refused: neither is chosen."""
    doubled = replace(registry, registrations=(*registry.registrations, register("retriever", "index")))
    with pytest.raises(PolicyError, match="2 plugins are the retriever 'index'"):
        bind(write(), doubled)


@pytest.mark.parametrize(
    ("pin", "fits"), [("1.0.0", True), ("'>=1,<2'", True), ("1.0", True), ("1.0.1", False), ("'>=1.1,<2'", False)]
)
def test_the_version_must_fit_the_pin(write: Write, registry: Registry, pin: str, fits: bool) -> None:
    """Installed 1.0.0 fits its exact pin and ranges around it, and no others."""
    loaded = write((INDEX, INDEX.replace("1.0.0", pin)))
    if fits:
        assert len(bind(loaded, registry).steps) == 7
    else:
        with pytest.raises(PolicyError, match=r"good.yaml:15:94: the retriever 'index' is pinned to .* and 1.0.0 is installed"):
            bind(loaded, registry)


def _strangers(registry: Registry, origin: Origin | None) -> Registry:
    return replace(
        registry,
        registrations=tuple(replace(one, origin=origin) if one.name == "index" else one for one in registry.registrations),
    )


STRANGER = Origin("hello", "Some.Plugin", "2.5", "some_plugin")
ALLOWED = 'allowed_plugins:\n  - {distribution: conformed, version: ">=0.1,<1"}\n'


def test_only_allowed_distributions_take_part(write: Write, registry: Registry) -> None:
    """A stranger's plugin is refused until the contract allows its distribution; names compare as installers compare them."""
    strange = _strangers(registry, STRANGER)
    with pytest.raises(PolicyError, match=r"comes from Some.Plugin \(hello\), which is not allowed"):
        bind(write(), strange)
    assert bind(write((ALLOWED, ALLOWED + "  - {distribution: some-plugin, version: 2.5}\n")), strange)
    with pytest.raises(PolicyError, match=r"is allowed in 2.4 and 2.5 is installed"):
        bind(write((ALLOWED, ALLOWED + "  - {distribution: some_plugin, version: 2.4}\n")), strange)
    with pytest.raises(PolicyError, match="which is not allowed"):
        bind(write((ALLOWED, ALLOWED + "  - {distribution: some_plugin, version: 2.5, entry_points: [other]}\n")), strange)
    with pytest.raises(PolicyError, match="comes from no distribution"):
        bind(write(), _strangers(registry, None))


def _built_as_pinned(origin: Origin) -> str:
    return "a" * 64


def _built_otherwise(origin: Origin) -> str:
    return "b" * 64


def test_a_pinned_build_is_compared(write: Write, registry: Registry) -> None:
    """Where the contract pins the hash of the files, another build does not run."""
    for digest_of, fits in ((_built_as_pinned, True), (_built_otherwise, False)):
        built = replace(registry, digest_of=digest_of)
        loaded = write(('version: ">=0.1,<1"}', f'version: ">=0.1,<1", digest: {"a" * 64}}}'))
        if fits:
            assert bind(loaded, built)
        else:
            with pytest.raises(PolicyError, match="have another hash than the contract pins"):
                bind(loaded, built)


def test_an_allowed_plugin_that_failed_to_load_stops_the_contract(write: Write, registry: Registry) -> None:
    """Even when no step uses it; one that is not allowed, or not meant, stops nothing."""
    broken = Failure("more_readers", "Conformed", "0.1.0", "it cannot be imported: ImportError.")
    with pytest.raises(
        PolicyError,
        match=r"good.yaml:40:5: the plugin more_readers of Conformed 0.1.0 is allowed here and failed to load: it cannot",
    ):
        bind(write(), replace(registry, failures=(broken,)))
    assert bind(write(), replace(registry, failures=(replace(broken, distribution="stranger"),)))
    narrowed = write((ALLOWED, ALLOWED.replace("}", ", entry_points: [built_in]}")))
    assert bind(narrowed, replace(registry, failures=(broken,)))


def test_a_plugin_may_refuse_a_contract(write: Write, registry: Registry) -> None:
    """check_policy gets the contract as plain data and its digest; a refusal stops the contract."""
    seen: list[object] = []

    def call(arguments: object) -> list[str]:
        seen.append(arguments)
        return ["years must be ten"]

    loaded = write()
    with pytest.raises(PolicyError, match=r"a plugin refuses the contract: hello of Some.Plugin 2.5: years must be ten"):
        bind(loaded, replace(registry, checks=(Implementation(STRANGER, call),)))
    (arguments,) = seen
    assert isinstance(arguments, dict)
    assert arguments["digest"] == loaded.digest
    assert arguments["contract"]["retention"]["years"] == 7


def test_a_product_that_does_not_fit_is_refused_when_it_is_made(write: Write, registry: Registry) -> None:
    """Binding makes nothing; making checks the port."""
    bound = bind(write(), registry)
    with pytest.raises(PluginError, match="which has no accepts"):
        bound.step("intake").plugins[0].create()
