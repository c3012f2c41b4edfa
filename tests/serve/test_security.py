"""What the gateway refuses, and what it keeps to itself."""

from __future__ import annotations

import asyncio
import base64
import json
import socket
import struct
import time
import zlib
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.serving.images import data_url
from docspec.serve.access import Access, is_loopback
from docspec.serve.fetch import Fetcher, is_public
from docspec.serve.refusal import Refusal
from tests.serve.conftest import printed
from tests.serve.processes import Served, gateway, stand_in
from tests.serve.site import Site

CHAT = "/v1/chat/completions"


def with_image(url: str, **more: Any) -> dict[str, Any]:
    parts = [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": "OCR:"}]
    return {"messages": [{"role": "user", "content": parts}], **more}


def post(served: Served, values: Any, **settings: Any) -> httpx.Response:
    return httpx.post(served.url + CHAT, json=values, timeout=30, **settings)


def png_of(width: int, height: int) -> bytes:
    """A PNG of a few hundred bytes that says that it is so large; it holds one row's beginning."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(bytes(4096))) + chunk(b"IEND", b"")


@pytest.fixture(scope="module")
def keyed(upstream: Served) -> Iterator[Served]:
    words = ("--upstream", upstream.url, "--api-key", "first-key", "--api-key", "second-key")
    with gateway(*words, "--upstream-key", "the-servers", "--max-body", "1", "--recognise", "never") as served:
        yield served


def test_it_listens_on_loopback_unless_told_otherwise(served: Served) -> None:
    assert served.url.startswith("http://127.0.0.1:")
    assert is_loopback("localhost") and is_loopback("::1") and not is_loopback("0.0.0.0")


def test_loopback_without_keys_is_warned_of_nowhere_else() -> None:
    with stand_in() as one, gateway("--upstream", one.url, "--host", "0.0.0.0", "--recognise", "never") as served:
        assert any("without --api-key" in line for line in served.said)


@pytest.mark.parametrize(
    "headers", [{}, {"Authorization": "Bearer wrong"}, {"X-Api-Key": "first-ke"}, {"Authorization": "first-key"}]
)
def test_without_a_key_nobody_is_answered(keyed: Served, upstream: Served, headers: dict[str, str]) -> None:
    upstream.told()
    for path in ("/v1/models", "/metrics"):
        assert keyed.get(path, headers=headers).status_code == 401
    answer = post(keyed, with_image(data_url(printed("x"))), headers=headers)
    assert answer.status_code == 401 and answer.json()["error"]["type"] == "authentication_error"
    assert upstream.told()["seen"] == []
    assert keyed.get("/health").status_code == 200


@pytest.mark.parametrize("headers", [{"Authorization": "Bearer first-key"}, {"X-Api-Key": "second-key"}])
def test_a_clients_key_stays_here_and_the_servers_key_goes_there(
    keyed: Served, upstream: Served, headers: dict[str, str]
) -> None:
    upstream.told()
    assert post(keyed, with_image(data_url(printed("x"))), headers=headers).status_code == 200
    sent = upstream.told()["seen"][0]["headers"]
    assert sent["authorization"] == "Bearer the-servers" and "x-api-key" not in sent
    assert "first-key" not in json.dumps(sent) and "second-key" not in json.dumps(sent)


def test_clients_with_keys_of_their_own_share_no_prefix_cache(keyed: Served, upstream: Served) -> None:
    salts = []
    for key in ("first-key", "second-key", "first-key"):
        upstream.told()
        post(keyed, with_image(data_url(printed("x"))), headers={"X-Api-Key": key})
        salts.append(upstream.told()["seen"][0]["body"]["cache_salt"])
    assert salts[0] == salts[2] != salts[1] and "key" not in salts[0]


def test_all_keys_are_compared_with_what_takes_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    import hmac

    compared = []
    real = hmac.compare_digest
    monkeypatch.setattr(hmac, "compare_digest", lambda one, two: compared.append((one, two)) or real(one, two))
    access = Access(["a", "b", "c"])
    scope = {"type": "http", "headers": [(b"x-api-key", b"a")]}
    assert access.client(scope).startswith("key-") and len(compared) == 3
    assert all(len(one) == len(two) == 32 for one, two in compared)


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "https://evil.example"}, {"Host": "evil.example"}, {"Origin": "null"}, {"Host": "evil.example:80"}],
)
def test_a_web_page_of_another_site_is_refused_where_there_are_no_keys(served: Served, headers: dict[str, str]) -> None:
    assert served.get("/v1/models", headers=headers).status_code == 403
    assert post(served, with_image(data_url(printed("x"))), headers=headers).status_code == 403


def test_a_body_is_bounded_whether_or_not_it_says_its_size(keyed: Served, upstream: Served) -> None:
    upstream.told()
    key = {"X-Api-Key": "first-key", "Content-Type": "application/json"}
    large = json.dumps(with_image("data:image/png;base64," + "A" * 2**20)).encode()
    said = httpx.post(keyed.url + CHAT, content=large, headers=key, timeout=60)
    parts = iter([large[:700_000], large[700_000:]])
    unsaid = httpx.post(keyed.url + CHAT, content=parts, headers=key, timeout=60)
    assert (said.status_code, unsaid.status_code) == (413, 413)
    assert upstream.told()["seen"] == []


@pytest.mark.parametrize("media", ["image/png", "text/plain"])
def test_a_decompression_bomb_is_refused_by_its_header(served: Served, upstream: Served, media: str) -> None:
    upstream.told()
    bomb = base64.b64encode(png_of(100_000, 100_000)).decode()
    began = time.monotonic()
    answer = post(served, with_image(f"data:{media};base64,{bomb}"))
    assert answer.status_code == 400 and "pixels" in answer.json()["error"]["message"]
    assert time.monotonic() - began < 5 and upstream.told()["seen"] == []


ADDRESSES = ["file:///etc/passwd", "http://127.0.0.1/x", "https://example.com/a.png", "/etc/passwd", "ftp://x/y"]
BROKEN = ["data:image/png,x", "data:;base64,A", "", "data:image/png;base64"]


@pytest.mark.parametrize("url", ADDRESSES + BROKEN)
def test_addresses_are_refused_unless_they_were_allowed(served: Served, upstream: Served, url: str) -> None:
    upstream.told()
    assert post(served, with_image(url)).status_code == 400
    assert upstream.told()["seen"] == []


@pytest.mark.parametrize("field", ["video_url", "audio_url"])
def test_addresses_of_other_media_are_refused(served: Served, field: str) -> None:
    parts = [{"type": field, field: {"url": "http://10.0.0.1/secret"}}]
    assert post(served, {"messages": [{"role": "user", "content": parts}]}).status_code == 400


SMUGGLED = [
    {"type": "image", "image": "http://10.0.0.1/secret"},
    {"type": "image", "url": "http://10.0.0.1/secret"},
    {"type": "file", "file": {"file_url": "http://10.0.0.1/secret"}},
    {"type": "file", "file": {"file_data": "http://10.0.0.1/secret"}},
    {"type": "input_audio", "input_audio": {"data": "http://10.0.0.1/secret"}},
    {"type": "image_url", "image_url": {"url": ["http://10.0.0.1/secret"]}},
    {"type": "image_url", "image_url": ["http://10.0.0.1/secret"]},
    {"type": "image_url", "image_url": {"url": "data:image/png;base64,", "fallback": "http://10.0.0.1/secret"}},
    {"type": "video_url", "video_url": [{"url": "http://10.0.0.1/secret"}]},
    {"type": "text", "text": {"url": "http://10.0.0.1/secret"}},
    {"type": "text", "text": "x", "source": {"type": "url", "url": "http://10.0.0.1/secret"}},
    {"type": ["image_url"], "text": "x"},
    {"type": "image_embeds", "image_embeds": "gASVKAAAAAAAAACMBXBvc2l4lIwGc3lzdGVtlJOU"},
    [{"type": "image_url", "image_url": {"url": "http://10.0.0.1/secret"}}],
    5,
]


@pytest.mark.parametrize("part", [*SMUGGLED, None], ids=lambda part: json.dumps(part)[:50])
def test_parts_of_unknown_types_and_shapes_are_refused(served: Served, upstream: Served, part: Any) -> None:
    """Where nobody here knows what a server behind takes for an address, it gets nothing."""
    upstream.told()
    for content in ([{"type": "text", "text": "Read."}, part], part if isinstance(part, dict) else {"url": "x"}):
        answer = post(served, {"messages": [{"role": "user", "content": content}]})
        assert answer.status_code == 400 and "error" in answer.json()
    assert upstream.told()["seen"] == []


@pytest.mark.parametrize(
    "part",
    [
        {"type": "text", "text": "x"},
        {"text": "x"},
        {"type": "text", "text": "see http://10.0.0.1/", "cache_control": {"type": "ephemeral"}},
        {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
        {"type": "file", "file": {"file_data": "data:application/pdf;base64,JVBERi0=", "filename": "a.pdf"}},
        {"type": "image_url", "image_url": {"url": data_url(printed("x")), "detail": "high"}, "min_pixels": 784},
    ],
    ids=lambda part: json.dumps(part)[:50],
)
def test_parts_of_known_types_pass(served: Served, upstream: Served, part: Any) -> None:
    upstream.told()
    assert post(served, {"messages": [{"role": "user", "content": [part]}]}).status_code == 200
    assert len(upstream.told()["seen"]) == 1


def test_nothing_that_a_client_sends_or_gets_is_logged() -> None:
    with stand_in() as one, gateway("--upstream", one.url, "--recognise", "never") as served:
        secret = "unmistakable-secret"
        post(served, {"messages": [{"role": "user", "content": secret}]})
        post(served, {"messages": [{"role": "user", "content": secret}], "status": 500})
        httpx.post(served.url + CHAT, content=f'{{"{secret}'.encode())
        one.stop()
        httpx.get(f"{served.url}/{secret}?{secret}")
        post(served, {"messages": [{"role": "user", "content": secret}], "stream": True})
        said = served.get("/metrics").text + "".join(served.said)
        assert secret not in said and "quick" not in said


def test_a_slow_body_does_not_hold_others_up(served: Served) -> None:
    host, port = served.url.removeprefix("http://").split(":")
    slow = [socket.create_connection((host, int(port))) for _ in range(20)]
    for each in slow:
        each.sendall(f"POST {CHAT} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 60000000\r\n\r\n{{".encode())
    try:
        began = time.monotonic()
        assert served.get("/health").status_code == 200
        assert served.get("/v1/models").status_code == 200 and time.monotonic() - began < 5
    finally:
        for each in slow:
            each.close()


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.1.2.3", "192.168.0.1", "172.16.0.1", "169.254.169.254", "0.0.0.0", "::1", "fe80::1", "fc00::1",
     "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "100.64.0.1", "224.0.0.1",
     "255.255.255.255", "192.0.2.1", "fe80::1%eth0", "nonsense", ""],
)  # fmt: skip
def test_no_private_address_passes(address: str) -> None:
    assert not is_public(address)


@given(st.ip_addresses())
@settings(deadline=None)
def test_an_address_that_passes_is_global(address: Any) -> None:
    assert not is_public(str(address)) or address.is_global


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700:4700::1111"])
def test_public_addresses_pass(address: str) -> None:
    assert is_public(address)


def fetched(url: str) -> tuple[bytes, str]:
    """What a fetcher gets for which 127.0.0.2 is the only public address."""

    async def run() -> tuple[bytes, str]:
        fetcher = Fetcher(100_000, allowed=lambda address: address == "127.0.0.2")
        try:
            return await fetcher.fetch(url)
        finally:
            await fetcher.close()

    return asyncio.run(run())


def test_a_public_address_is_fetched_also_behind_a_redirect(site: int) -> None:
    assert fetched(f"http://127.0.0.2:{site}/to?/a") == (b"x" * 1000, "image/png")


@pytest.mark.parametrize(
    "path", ["", "/to?http://127.0.0.1:{port}/a", "/to?//127.0.0.3:{port}/a", "/to?http://localhost:{port}/a"]
)
def test_a_private_address_is_not_reached_not_even_behind_a_redirect(site: int, path: str) -> None:
    start = f"http://127.0.0.2:{site}{path}" if path else f"http://127.0.0.1:{site}/a"
    with pytest.raises(Refusal):
        fetched(start.format(port=site))
    assert all("/to?" in asked for asked in Site.asked)


def test_a_name_that_also_stands_for_a_private_address_is_not_fetched(
    site: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, site)) for address in ("127.0.0.2", "127.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *given, **named: found)
    with pytest.raises(Refusal):
        fetched(f"http://rebinding.example:{site}/a")
    assert Site.asked == []


def test_the_address_that_was_checked_is_the_one_that_is_connected_to(
    site: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(["127.0.0.2", "127.0.0.1", "127.0.0.1"])
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda *given, **named: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(answers), site))],
    )
    assert fetched(f"http://rebinding.example:{site}/a")[0] == b"x" * 1000
    assert Site.asked == [f"rebinding.example:{site}/a"] and next(answers) == "127.0.0.1"


def test_what_is_fetched_is_bounded(site: int) -> None:
    with pytest.raises(Refusal, match="larger"):
        fetched(f"http://127.0.0.2:{site}/large")


def test_redirects_end(site: int) -> None:
    with pytest.raises(Refusal, match="redirects"):
        fetched(f"http://127.0.0.2:{site}" + "/to?" * 9 + "/a")
