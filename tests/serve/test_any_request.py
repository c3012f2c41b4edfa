"""Whatever a client sends to whichever route: the answer is no fault of the gateway's, and the next one is served."""

from __future__ import annotations

import base64
import contextlib
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docspec.serve.chat import object_in
from docspec.serve.own.asking import chat_request, decoded
from docspec.serve.refusal import Refusal
from tests.serve.processes import Served, gateway, stand_in
from tests.serve.test_bounds import image_url
from tests.serve.test_documents import pdf_of
from tests.serve.test_security import png_of

ROUTES = [
    ("POST", "/v1/chat/completions"), ("GET", "/v1/models"), ("GET", "/v1/models/{name}"), ("GET", "/health"),
    ("GET", "/ready"), ("GET", "/version"), ("GET", "/metrics"), ("POST", "/v1/convert/file"),
    ("POST", "/v1/convert/source"), ("POST", "/v1/convert/file/async"), ("POST", "/v1/convert/source/async"),
    ("GET", "/v1/status/poll/{name}"), ("GET", "/v1/result/{name}"), ("POST", "/v1/parse"), ("POST", "/v1/drafts"),
    ("DELETE", "/v1/drafts/{name}"), ("POST", "/v1/find/file"), ("POST", "/v1/find/source/async"),
]  # fmt: skip

SURROGATE = "\ud800"
numbers = st.sampled_from(
    [0, -1, 1, 2**31, 2**63, -(2**63), 1e308, float("inf"), float("-inf"), float("nan"), 0.5, True]
)
texts = st.one_of(
    st.text(st.characters(codec=None, exclude_categories=()), max_size=20),
    st.sampled_from(
        ["", SURROGATE, "\0", "http://", "http://[", "http://a:b", "//", "file:///etc/passwd", "data:", "%00"]
    ),
)
values = st.recursive(
    st.none() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
PIXEL = image_url("PNG", (2, 2))
images = st.one_of(
    texts,
    st.sampled_from([
        PIXEL, PIXEL + SURROGATE, f"{PIXEL[:30]}\u00e9", "data:;base64,", "http://127.0.0.1:1/x", f"http://{SURROGATE}/",
        f"data:image/png;base64,{base64.b64encode(png_of(0, 0)).decode()}", f"http://{'a' * 300}.example/", "http://\u2100/",
        "http://1.2.3.4:99999/", "http://xn--/", "https://[::ffff:127.0.0.1]/", "http://0x7f.1/",
    ]),
)  # fmt: skip
parts = st.one_of(
    values,
    st.builds(lambda url: {"type": "image_url", "image_url": {"url": url}}, images),
    st.builds(lambda url: {"type": "image_url", "image_url": url}, images),
    st.builds(lambda text: {"type": "text", "text": text}, texts),
)
messages = st.one_of(
    values,
    st.builds(
        lambda role, content: {"role": role, "content": content}, texts | st.just("user"), texts | st.lists(parts)
    ),
)
chats = st.fixed_dictionaries(
    {"messages": st.lists(messages, max_size=3) | values},
    optional={
        **dict.fromkeys(
            ("model", "prediction", "vllm_xargs", "cache_salt", "stream_options", "stop", "options"), values
        ),
        **dict.fromkeys(
            ("max_tokens", "max_completion_tokens", "temperature", "n", "top_k", "min_tokens"), numbers | values
        ),
        "stream": st.booleans() | values,
    },
)
FILE = base64.b64encode(pdf_of("A word")).decode()
sources = st.one_of(
    values,
    st.fixed_dictionaries(
        {"kind": st.sampled_from(["file", "http", SURROGATE])},
        optional={"base64_string": values | st.just(FILE), "filename": values, "url": images | values},
    ),
)
documents = st.fixed_dictionaries(
    {"sources": st.just([{"kind": "file", "base64_string": FILE}]) | st.lists(sources, max_size=2) | values},
    optional={
        "options": values
        | st.dictionaries(
            st.sampled_from(["to_formats", "page_range", "pages", "target_type"]),
            values | st.lists(numbers, max_size=3) | st.just(["md"]),
        ),
        "target": values | st.just({"kind": "inbody"}),
    },
)
forms = st.dictionaries(
    st.sampled_from(["to_formats", "page_range", "pages", "target_type", "files"]),
    st.lists(
        # No slash: pages that are none are told as they were written, and :func:`check` looks for paths.
        st.text(st.characters(codec="utf-8", exclude_characters="/"), max_size=12)
        | st.sampled_from(["1-1", "inf", "1e9", "0", "-1"]),
        max_size=3,
    ),
)


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with (
        stand_in() as one,
        gateway(
            "--upstream", one.url, "--recognise", "never", "--allow-urls", "--timeout", "20", "--max-body", "4"
        ) as found,
    ):
        yield found


def check(served: Served, method: str, path: str, **sent: Any) -> None:
    """The status is one that names whose fault it is, and the answer an object with its message."""
    with httpx.Client(base_url=served.url, timeout=60) as client:
        answer = client.request(method, path, **sent)
        if "x-docspec-drafts" in answer.headers:
            return  # what the server behind it says
        assert answer.status_code not in (500, 502, 504), (answer.status_code, answer.text, sent)
        if 400 <= answer.status_code < 600 and answer.headers.get("content-type") == "application/json":
            assert answer.json()["error"]["message"]
        assert "/" not in answer.json().get("detail", "") if answer.status_code == 422 else True


def dumped(value: Any) -> bytes:
    return json.dumps(value).encode("utf-8", "surrogatepass")


ANY = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=120)


@given(body=chats)
@ANY
def test_any_chat(served: Served, body: dict[str, Any]) -> None:
    check(served, "POST", "/v1/chat/completions", content=dumped(body))


@given(body=documents | values, path=st.sampled_from(["/v1/convert/source", "/v1/find/source"]), wait=st.booleans())
@ANY
def test_any_source(served: Served, body: Any, path: str, wait: bool) -> None:
    path += "" if wait else "/async"
    check(served, "POST", path, content=dumped(body))


@given(form=forms, data=st.binary(max_size=64) | st.just(pdf_of("A word")), path=st.sampled_from(
    ["/v1/convert/file", "/v1/convert/file/async", "/v1/find/file", "/v1/drafts"]
), whole=st.booleans())  # fmt: skip
@ANY
def test_any_form(served: Served, form: dict[str, Any], data: bytes, path: str, whole: bool) -> None:
    if whole:
        check(served, "POST", path, params=form, content=data)
    else:
        check(served, "POST", path, data=form, files={"files": ("a\x00/..", data)})


@given(
    route=st.sampled_from(ROUTES),
    method=st.sampled_from(["GET", "POST", "DELETE", "PUT", "HEAD", "OPTIONS", "PATCH"]),
    name=st.text(st.characters(codec="utf-8"), min_size=1, max_size=20),
    data=st.binary(max_size=200),
    kind=st.sampled_from(
        ["application/json", "multipart/form-data", "multipart/form-data; boundary=x", "text/plain", "\u00e9"]
    ),
    wait=st.sampled_from(["0", "-1", "nan", "inf", "x", ""]),
)
@ANY
def test_any_bytes_to_any_route(
    served: Served, route: tuple[str, str], method: str, name: str, data: bytes, kind: str, wait: str
) -> None:
    path = route[1].replace("{name}", "".join(f"%{byte:02x}" for byte in name.encode()))
    if route[1] == "/v1/parse" and method == "POST":
        data = data or b"x"
    headers = {"Content-Type": kind.encode("latin-1")}
    query = {"wait": wait} if "poll" in path else {}
    with httpx.Client(base_url=served.url, timeout=60) as client:
        answer = client.request(method, path, content=data, headers=headers, params=query)
    assert answer.status_code not in (500, 502, 504), (answer.status_code, answer.text)


@given(body=chats)
@ANY
def test_any_chat_to_the_own_engine(body: dict[str, Any]) -> None:
    with contextlib.suppress(Refusal):
        ask = chat_request(object_in(dumped(body)), True)
        assert ask.max_tokens is None or ask.max_tokens > 0
        texts = [part.get("text", "") for message in ask.messages for part in message["content"]]
        "".join((*texts, *ask.drafts)).encode()  # a tokenizer takes no half of a pair of surrogates
        for picture in ask.images:
            decoded(picture)


def test_the_gateway_is_still_there(served: Served) -> None:
    assert served.get("/health").status_code == 200 and served.process.poll() is None
    assert not [line for line in served.said if "unexpected" in line]
