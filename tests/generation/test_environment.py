"""Proxies and certificates of the environment: what is asked through them, and what is said where they cannot be."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from docspec.core import ModelError
from docspec.generation.interface import GenerationRequest
from docspec.generation.server import ServerGenerator, addresses
from tests.generation.stand_in import StandIn

PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in (*PROXIES, *map(str.upper, PROXIES), *addresses.CERTIFICATES):
        monkeypatch.delenv(name, raising=False)
    addresses._certificates.cache_clear()
    yield
    addresses._certificates.cache_clear()


@pytest.mark.parametrize("variable", ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"])
@pytest.mark.parametrize("value", ["http://127.0.0.1:9", "socks5://127.0.0.1:9", "nonsense"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_server_on_this_machine_is_asked_directly(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, host: str
) -> None:
    monkeypatch.setenv(variable, value)
    monkeypatch.setenv("SSL_CERT_FILE", "/no/ca.pem")
    with StandIn() as server:
        engine = ServerGenerator([f"http://{host}:{server.port}"], patience=5)
        try:
            assert engine.submit(GenerationRequest(None, "Read.", 9)).result(30).text == "read"
        finally:
            engine.close()


@pytest.mark.parametrize(
    ("variables", "url", "said"),
    [
        ({"ALL_PROXY": "socks5://u:SECRET@127.0.0.1:9"}, "http://far.example", "ALL_PROXY=socks5://127.0.0.1:9"),
        ({"https_proxy": "socks5h://127.0.0.1:9"}, "https://far.example", "https_proxy=socks5h://127.0.0.1:9"),
        ({"http_proxy": "nonsense://x"}, "http://far.example", "http_proxy=nonsense://x"),
        ({"SSL_CERT_FILE": "/no/ca.pem"}, "https://far.example", "SSL_CERT_FILE=/no/ca.pem: there is nothing"),
        ({"SSL_CERT_FILE": __file__}, "https://127.0.0.1:9", f"SSL_CERT_FILE={__file__}: cannot be read"),
    ],
)
def test_what_of_the_environment_is_at_fault_is_said(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], url: str, said: str
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ModelError) as caught:
        ServerGenerator([url], patience=1)
    assert said in str(caught.value) and "SECRET" not in str(caught.value) and "\n" not in str(caught.value)


def test_a_proxy_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    engine = ServerGenerator(["http://far.example:8000"], patience=0.5)
    try:
        with pytest.raises(ModelError, match=r"asked through http_proxy=http://127\.0\.0\.1:9"):
            _ = engine.model
    finally:
        engine.close()
    assert addresses.proxy_of("http://far.example") == "http_proxy"
    monkeypatch.setenv("no_proxy", ".example")
    assert addresses.proxy_of("http://far.example") is None
