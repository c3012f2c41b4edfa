"""What a request may hold: formats and sizes of images, numbers of values, memory; and who is let in."""

from __future__ import annotations

import base64
import gzip
import io
import ipaddress
import json
import re
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image
from starlette.testclient import TestClient

from docspec.serve.app import make_app
from docspec.serve.fetch import Fetcher, is_public
from docspec.serve.own.asking import MOST_DRAFTED, chat_request
from docspec.serve.picture import FORMATS, checked_picture, opened
from docspec.serve.refusal import Refusal
from docspec.serve.settings import GatewaySettings, Limits
from tests.forked import run_forked
from tests.serve.processes import Served, gateway, stand_in
from tests.serve.site import Site
from tests.serve.test_security import CHAT, png_of, post, with_image

LISTED = ["PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF", "MPO"]
OTHERS = ["JPEG2000", "AVIF", "TGA", "PCX", "PPM", "ICO", "SGI", "DDS"]


def image_url(kind: str, size: tuple[int, int], mode: str = "RGB") -> str:
    buffer = io.BytesIO()
    Image.new(mode, size, 200).save(buffer, kind)
    return f"data:image/x;base64,{base64.b64encode(buffer.getvalue()).decode()}"


@pytest.mark.parametrize("kind", LISTED)
def test_accepted_formats_are_checked_before_they_are_decoded(kind: str) -> None:
    mode = "L" if kind == "GIF" else "RGB"
    assert checked_picture(image_url(kind, (300, 200), mode), 60_000).size == (300, 200)
    with pytest.raises(Refusal, match="pixels") as refused:
        checked_picture(image_url(kind, (301, 200), mode), 60_000)
    assert refused.value.status == 400
    assert opened(checked_picture(image_url(kind, (9, 9), mode), 99).data()).size == (9, 9)


@pytest.mark.parametrize("kind", OTHERS)
def test_other_formats_are_refused_whatever_their_size(kind: str) -> None:
    try:
        url = image_url(kind, (16, 16))
    except (OSError, KeyError):
        pytest.skip(f"this Pillow writes no {kind}")
    with pytest.raises(Refusal, match="no accepted format") as refused:
        checked_picture(url, 10**9)
    assert refused.value.status == 400


@pytest.mark.parametrize("data", [b"", b"\x00" * 9, b"%PDF-1.7", png_of(0, 0), png_of(0, 9), b"\x89PNG\r\n\x1a\n"])
def test_what_is_no_image_is_refused(served: Served, data: bytes) -> None:
    answer = post(served, with_image(f"data:image/png;base64,{base64.b64encode(data).decode()}"))
    assert answer.status_code == 400 and "image" in answer.json()["error"]["message"]


def test_images_of_one_request_are_bounded_together() -> None:
    with stand_in() as one, gateway("--upstream", one.url, "--recognise", "never", "--max-megapixels", "1") as served:
        url = f"data:image/png;base64,{base64.b64encode(png_of(1000, 1000)).decode()}"
        for count, status in ((4, 200), (5, 400)):
            parts = [{"type": "image_url", "image_url": {"url": url}}] * count
            assert post(served, {"messages": [{"role": "user", "content": parts}]}).status_code == status
        small = image_url("PNG", (2, 2))
        parts = [{"type": "image_url", "image_url": {"url": small}}] * 257
        assert "256 images" in post(served, {"messages": [{"role": "user", "content": parts}]}).text


@pytest.mark.parametrize(
    "body",
    [
        b'{"messages":[' + b"{}," * 10_000_000 + b"{}]}",
        b'{"messages":[{"role":"user","content":['
        + b'{"type":"image_url","image_url":{"url":"data:;base64,AAAA"}},' * 100_000
        + b'{"type":"text","text":"hi"}]}]}',
        b'{"messages":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"a":' + b"9" * 5_000_000 + b"}",
    ],
    ids=["empty messages", "tiny images", "deep", "long number"],
)
def test_no_body_keeps_others_waiting(served: Served, body: bytes) -> None:
    worst, done = 0.0, threading.Event()

    def send() -> None:
        answer = httpx.post(served.url + CHAT, content=body, headers={"Content-Type": "application/json"}, timeout=60)
        assert answer.status_code == 400
        done.set()

    sending = threading.Thread(target=send)
    sending.start()
    while sending.is_alive():
        began = time.monotonic()
        assert served.get("/health").status_code == 200
        worst = max(worst, time.monotonic() - began)
    sending.join()
    assert done.is_set() and worst < 3


def test_the_own_engine_looks_at_images_before_it_decodes_them() -> None:
    bomb = f"data:image/png;base64,{base64.b64encode(png_of(6000, 6000)).decode()}"
    parts = [{"type": "image_url", "image_url": {"url": bomb}}]
    assert chat_request({"messages": [{"role": "user", "content": parts}]}, False).images[0].size == (6000, 6000)
    with pytest.raises(Refusal, match="together"):
        chat_request({"messages": [{"role": "user", "content": parts * 2}]}, False)
    with pytest.raises(Refusal, match="256 images"):
        chat_request({"messages": [{"role": "user", "content": parts * 300}]}, False)
    drafts = ["x" * 100_000] * 9
    taken = chat_request(
        {"messages": [{"role": "user", "content": "x"}], "vllm_xargs": {"docspec_drafts": drafts}}, False
    )
    assert 0 < sum(map(len, taken.drafts)) <= MOST_DRAFTED


def test_the_own_engine_gets_texts_that_a_tokenizer_takes() -> None:
    half = "a\ud800b"
    told = chat_request(
        {"messages": [{"role": "user", "content": half}], "vllm_xargs": {"docspec_drafts": half}}, False
    )
    assert told.messages[0]["content"][0]["text"] == told.drafts[0] == "a?b"


@pytest.mark.parametrize("words", [["serve", "--upstream", "http://127.0.0.1:9"], ["mcp", "."]], ids=["serve", "mcp"])
@pytest.mark.parametrize("key", ["", " ", "a b", "ké", "a\tb"])
def test_a_key_that_is_none_is_refused_at_the_start(words: list[str], key: str, tmp_path: Path) -> None:
    for given, variables in ((["--api-key", key], {}), ([], {"DOCSPEC_API_KEY": key})):
        if not given and key.split() and len(key.split()) > 1:
            continue  # several keys
        ran = run_forked([*words, *given, "--port", "0"], cwd=tmp_path, env={"HOME": str(tmp_path), **variables})
        assert ran.returncode == 2 and b"--api-key" in ran.stderr, ran.stderr.decode()


@pytest.mark.parametrize(
    "address",
    ["192.0.0.8", "192.0.0.170", "192.31.196.1", "192.52.193.1", "192.175.48.1", "192.88.99.1", "198.18.0.1",
     "fec0::1", "fed0::1", "3fff::1", "3fff:fff::1", "5f00::1", "2001:2::1", "2001:20::1", "2620:4f:8000::1",
     "64:ff9b:1::1", "100:0:0:1::1", "::127.0.0.1", "::ffff:0:127.0.0.1", "2001:db8::1", "240.0.0.1"],
)  # fmt: skip
def test_special_addresses_are_not_fetched(address: str) -> None:
    assert ipaddress.ip_address(address) and not is_public(address)


def test_the_list_of_formats_is_what_errors_say(served: Served) -> None:
    said = post(served, with_image("data:image/x;base64,AAAA")).json()["error"]["message"]
    assert re.search(r"\((.*)\)", said)[1].split(", ") == [kind for kind, _ in FORMATS.values()]  # type: ignore[index]
    assert json.dumps(said)


def test_a_request_holds_what_has_arrived_and_documents_wait_on_the_disk(tmp_path: Path) -> None:
    def held(served: Served) -> int:
        return int(re.search(r"docspec_bytes_held (\d+)", served.get("/metrics").text)[1])  # type: ignore[index]

    with stand_in() as one, gateway("--upstream", one.url, "--recognise", "never") as served:
        part = threading.Event()

        def slowly() -> Any:
            yield b"%PDF-1.7" + b"x" * 2_000_000
            part.wait(30)
            yield b"y" * 2_000_000

        sent: list[httpx.Response] = []
        url = f"{served.url}/v1/convert/file/async"
        sending = threading.Thread(target=lambda: sent.append(httpx.post(url, content=slowly(), timeout=60)))
        sending.start()
        end = time.monotonic() + 20
        while held(served) < 2_000_000 and time.monotonic() < end:
            time.sleep(0.05)
        assert 2_000_000 <= held(served) < 3_000_000
        part.set()
        sending.join()
        assert sent[0].status_code == 200 and held(served) == 0


def test_what_is_fetched_for_one_request_is_bounded_together(site: int) -> None:
    """Thirty addresses of 10 MB each: two kilobytes that ask for 300 MB."""
    limits = Limits(body=32 * 2**20)
    app = make_app(GatewaySettings(("http://127.0.0.1:9",), recognition="never", allow_urls=True, limits=limits))
    with TestClient(app) as client:
        app.state.gateway.fetcher = Fetcher(limits.body, allowed=lambda address: address == "127.0.0.2")
        urls = [f"http://127.0.0.2:{site}/{number}" for number in range(30)]
        parts = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
        answer = client.post(CHAT, json={"messages": [{"role": "user", "content": parts}]})
        assert answer.status_code == 413 and len(Site.asked) <= 3
        assert app.state.gateway.admission.taken == 0


def test_packed_bodies_are_refused_as_such(served: Served) -> None:
    for path in ("/v1/chat/completions", "/v1/parse"):
        answer = httpx.post(
            served.url + path, content=gzip.compress(b"{}"), headers={"Content-Encoding": "gzip"}, timeout=30
        )
        assert answer.status_code == 415 and "Content-Encoding" in answer.json()["error"]["message"]
