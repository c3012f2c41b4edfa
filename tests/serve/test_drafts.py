"""Where drafts come from, how they are spelled, and when an image is read here."""

from __future__ import annotations

import asyncio
import base64
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.serving.images import data_url
from docspec.core import BBox, Category, PageDraft, Region
from docspec.serve.chat import read_chat
from docspec.serve.drafts import WAYS, DraftCache, DraftFinder
from docspec.serve.payoff import CONTROL, ENOUGH, SHARE, Payoff, Way
from docspec.serve.picture import checked_picture
from docspec.serve.readers import MOST_CHARACTERS, bounded, reader_of, spelled
from docspec.serve.recognition import Recognition
from docspec.serve.refusal import Refusal
from docspec.serve.uploads import Uploaded, Uploads
from docspec.targets.families.dots_ocr import LAYOUT
from docspec.targets.families.qwen2_5_vl import OLMOCR
from tests.serve.conftest import printed
from tests.serve.processes import Served, gateway
from tests.serve.test_security import png_of

TABLE = "<table><tr><td>a</td><td>b</td></tr></table>"


def body(url: str, prompt: str, model: str = "", **more: Any) -> dict[str, Any]:
    parts = [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": prompt}]
    return {"model": model, "messages": [{"role": "user", "content": parts}], **more}


def page() -> PageDraft:
    return PageDraft(
        (
            Region(BBox(0, 0, 100, 20), Category.TITLE, ("A title",)),
            Region(BBox(0, 30, 100, 60), Category.TEXT, ("One line\nand another",)),
            Region(BBox(0, 70, 100, 90), Category.TABLE, (TABLE,)),
        ),
        "made",
    )


@pytest.mark.parametrize(
    ("prompt", "model", "kind", "dialect"),
    [
        ("\nText Recognition:", "MinerU2.5-2509-1.2B", "text", "markdown"),
        ("\nLayout Detection:", "anything", "layout", "markdown"),
        ("OCR:", "PaddleOCR-VL-0.9B", "text", "markdown"),
        ("Convert this page to docling.", "ibm-granite/granite-docling-258M", "page", "doctags"),
        (OLMOCR.replace("{image}", ""), "olmocr", "page", "markdown"),
        (f"<|img|><|imgpad|><|endofimg|>{LAYOUT}", "model", "layout", "layout-json"),
        ("", "lightonai/LightOnOCR-2-1B", "page", "markdown"),
        ("Read it to me.", "/models/rednote-hilab/dots.ocr", "page", "layout-json"),
        ("Read it to me.", "somebody/something", "page", None),
    ],
)
def test_a_prompt_or_a_name_tells_the_reader(prompt: str, model: str, kind: str, dialect: str | None) -> None:
    reader = reader_of(prompt, model)
    assert (reader.kind, reader.dialect and reader.dialect.name) == (kind, dialect)


def test_one_prompt_of_two_readers_is_spelled_as_the_served_one_writes() -> None:
    paddle, glm = (reader_of("Table Recognition:", name) for name in ("PaddleOCR-VL", "zai-org/GLM-OCR"))
    assert any("<fcel>a" in text for text in spelled(page(), (100, 100), paddle))
    assert all("<fcel>" not in text for text in spelled(page(), (100, 100), glm))


def test_a_page_is_spelled_in_the_readers_dialect_and_plainly_for_strangers() -> None:
    dots = spelled(page(), (100, 100), reader_of("x", "dots.ocr"))
    assert any('"category": "Title"' in text for text in dots)
    plain = spelled(page(), (100, 100), reader_of("What is on it?", ""))
    assert plain[0] == f"A title\n\nOne line\nand another\n\n{TABLE}"


def test_a_crop_is_spelled_as_one_text() -> None:
    assert "A title One line and another" in spelled(
        PageDraft(page().regions[:2]), (100, 100), reader_of("Text Recognition:", "")
    )


def test_drafts_are_bounded() -> None:
    texts = bounded([f"{number}" + "x" * 10_000 for number in range(100)] + ["", " ", "y", "y"])
    assert sum(map(len, texts)) <= MOST_CHARACTERS and len(texts) <= 64 and texts[-1] == "y"


def test_an_image_is_read_here_once_and_its_words_go_along(upstream: Served) -> None:
    image = data_url(printed("Recognised by the gateway", "for the server behind it"))
    with gateway("--upstream", upstream.url, "--recognise", "always") as served:
        upstream.told()
        sources = [
            served_post(served, body(image, "Text Recognition:", number=number)).headers["x-docspec-drafts"]
            for number in range(2)
        ]
        assert sources == ["recognition", "cache"]
        for sent in upstream.told()["seen"]:
            drafts = sent["body"]["vllm_xargs"]
            assert drafts["docspec_kind"] == "text"
            assert any("Recognised by the gateway" in text for text in drafts["docspec_drafts"])
        assert served.resident() < 600 * 2**20
        maps = Path(f"/proc/{served.process.pid}/maps").read_text()
        assert "libtorch" not in maps


def test_while_an_image_is_recognised_its_upstream_prefills_the_prompt(upstream: Served) -> None:
    """The same messages for one token, then the request itself, to the same server; what failed changes nothing."""
    with gateway("--upstream", upstream.url, "--recognise", "always") as served:
        upstream.told()
        sent: list[dict[str, Any]] = []
        for number in range(12):
            image = data_url(printed(f"Page {number}", size=(160, 160)))  # soon recognised
            more = {"stream": number % 2 == 0, "max_completion_tokens": 900, "status": 500} if number == 11 else {}
            answer = served_post(served, body(image, "Text Recognition:", number=number, **more))
            assert answer.headers["x-docspec-drafts"] == "recognition"
            sent += upstream.told()["seen"]
    ahead = [one for one in sent if one["body"].get("max_tokens") == 1]
    whole = [one for one in sent if one["body"].get("max_tokens") != 1]
    assert len(whole) == 12 and ahead, "each request is asked once, some prompts are prefilled"
    for one in ahead:
        assert "vllm_xargs" not in one["body"] and not one["body"].get("stream")
        assert one["messages"] in {other["messages"] for other in whole}


def test_an_image_that_cannot_be_read_goes_on_without_a_draft(upstream: Served) -> None:
    """It says its size, and ends after its first row."""
    image = f"data:image/png;base64,{base64.b64encode(png_of(64, 64)).decode()}"
    with gateway("--upstream", upstream.url, "--recognise", "always") as served:
        answer = served_post(served, body(image, "OCR:"))
    assert answer.status_code == 200 and answer.headers["x-docspec-drafts"] == "none"


def served_post(served: Served, values: Any) -> Any:
    import httpx

    return httpx.post(served.url + "/v1/chat/completions", json=values, timeout=60)


class Counting:
    """In place of worker processes: counts what it is asked to read. A stand-in, for the order of sources alone."""

    def __init__(self) -> None:
        self.read = 0

    async def recognise(self, data: bytes) -> PageDraft:
        self.read += 1
        await asyncio.sleep(0.01)
        return page()

    async def fingerprint(self, data: bytes) -> bytes:
        return bytes(data[:1]) * 1024


def drafts(mode: str = "always", uploads: Uploads | None = None) -> tuple[DraftFinder, Counting]:
    counting = Counting()
    made = DraftFinder(mode, counting, uploads or Uploads())  # type: ignore[arg-type]
    return made, counting


def chat(url: str, prompt: str = "OCR:") -> Any:
    import json

    return read_chat(json.dumps(body(url, prompt)).encode(), 10**9)


def test_what_one_client_had_read_is_read_again_for_another() -> None:
    found, counting = drafts()
    image = data_url(printed("x"))

    async def run() -> list[str]:
        first = await asyncio.gather(*(found.of("a", chat(image)) for _ in range(5)))
        return [one.source for one in first] + [(await found.of(client, chat(image))).source for client in "aab"]

    sources = asyncio.run(run())
    assert counting.read == 2, "five requests at once are one reading; another client's is its own"
    assert sources[5:] == ["cache", "cache", "recognition"]


def test_boxes_are_not_drafted_and_their_image_is_not_read() -> None:
    finder, counting = drafts()
    found = asyncio.run(finder.of("a", chat(data_url(printed("x")), "Layout Detection:")))
    assert (found.texts, found.kind, counting.read) == ((), "layout", 0)


def test_a_page_of_an_uploaded_document_is_known_by_its_look_and_to_its_owner_alone() -> None:
    uploads = Uploads()
    image = data_url(printed("x", size=(640, 160)))
    look = asyncio.run(Counting().fingerprint(checked_picture(image, 10**9).data()))
    uploads.keep("owner", [Uploaded(look, (320, 80), page())])
    found, counting = drafts(uploads=uploads)

    async def run() -> list[str]:
        return [(await found.of(client, chat(image))).source for client in ("owner", "other")]

    assert asyncio.run(run()) == ["upload", "recognition"] and counting.read == 1
    scaled = asyncio.run(uploads.page_like("owner", checked_picture(image, 10**9), counting))  # type: ignore[arg-type]
    assert scaled is not None and scaled.regions[0].bbox == BBox(0, 0, 200, 40)


def test_drafts_that_are_kept_are_bounded() -> None:
    cache = DraftCache(20_000)
    for number in range(100):
        cache.put("a", bytes([number]), page())
    assert cache.get("a", bytes([99])) is not None and cache.get("a", bytes([0])) is None


def test_an_image_is_not_read_where_that_never_pays() -> None:
    """Answers of a second, which drafts do not shorten; reading takes two seconds."""
    payoff, spent = Payoff(), 0.0
    for _ in range(1000):
        way = payoff.decide(("page", False), 1_000_000)
        if way == "drafted":
            payoff.recognised(1_000_000, 2.0)
            spent += 2.0
        payoff.answered(("page", False), way, 1000, 1.0)
    assert spent <= 2 * SHARE * 1000 and spent > 0


def test_an_image_is_read_where_it_is_measured_to_pay() -> None:
    """Answers of twenty seconds, or of four with a draft that takes one."""
    payoff, taken = Payoff(), []
    for _ in range(400):
        way = payoff.decide(("page", False), 1_000_000)
        drafted = way == "drafted"
        if drafted:
            payoff.recognised(1_000_000, 1.0)
        payoff.answered(("page", False), way, 1000, 4.0 if drafted else 20.0)
        taken.append(drafted)
    assert not any(taken[:ENOUGH]), "what it is without is measured first"
    assert sum(taken[200:]) >= 200 - 200 // CONTROL - 1, "and again from time to time"
    assert not all(taken[200:])


def test_kinds_of_requests_are_measured_apart() -> None:
    payoff = Payoff()
    for _ in range(400):
        for kind, with_drafts in ((("page", False), 4.0), (("text", False), 20.0)):
            way = payoff.decide(kind, 1_000_000)
            if way == "drafted":
                payoff.recognised(1_000_000, 1.0)
            payoff.answered(kind, way, 1000, with_drafts if way == "drafted" else 20.0)
    asked = [payoff.decide((kind, False), 1_000_000) for kind in ("page", "text") for _ in range(10)]
    assert asked[:10].count("drafted") >= 9 and asked[10:].count("drafted") <= 2


@pytest.mark.parametrize(("caches", "better"), [(True, "prefilled"), (False, "drafted")])
def test_a_prompt_is_prefilled_beside_recognition_where_answers_come_sooner_for_it(caches: bool, better: Way) -> None:
    """Twenty seconds without a draft, six with one, of which three are prefill; an upstream without a prefix cache
    prefills twice, and the request waits for the first time too."""
    payoff, taken = Payoff(), list[Way]()
    for _ in range(800):
        way = payoff.decide(("page", False), 1_000_000, WAYS)
        payoff.recognised(1_000_000, 1.0 if way != "plain" else 0.0)
        seconds = {"plain": 20.0, "drafted": 6.0, "prefilled": 5.0 if caches else 8.0}
        payoff.answered(("page", False), way, 1000, seconds[way])
        taken.append(way)
    assert taken[600:].count(better) > 0.8 * 200


def test_an_image_that_is_always_read_is_read_with_every_request() -> None:
    payoff = Payoff()
    for _ in range(100):
        way = payoff.decide(("page", False), 1_000_000, WAYS, always=True)
        assert way in WAYS
        payoff.answered(("page", False), way, 1000, 2.0 if way == "prefilled" else 3.0)
    assert payoff.decide(("page", False), 1_000_000, WAYS, always=True) == "prefilled"


def test_too_many_images_at_once_go_on_without_waiting() -> None:
    async def run() -> Any:
        recognition = Recognition(1)
        recognition.waiting = 10_000
        try:
            return await recognition.recognise(b"")
        finally:
            recognition.close()

    assert asyncio.run(run()) is None


def test_a_worker_that_dies_is_replaced() -> None:
    async def run() -> tuple[Any, Any, int]:
        lost: list[int] = []
        recognition = Recognition(1, lambda: lost.append(1))
        data = checked_picture(data_url(printed("After the loss")), 10**9).data()
        try:
            asked = asyncio.ensure_future(recognition.recognise(data))
            while not recognition._running:
                await asyncio.sleep(0.01)
            next(iter(recognition._running)).kill()
            return await asked, await recognition.recognise(data), len(lost)
        finally:
            recognition.close()

    first, second, lost = asyncio.run(run())
    assert first is None and lost == 1
    assert second is not None and "After the loss" in second.regions[0].texts[0]


def test_the_size_of_an_image_is_known_without_decoding_it() -> None:
    for format in ("PNG", "JPEG", "WEBP"):
        assert checked_picture(data_url(printed("x"), format), 10**9).size == (640, 160)
    with pytest.raises(Refusal):
        checked_picture(data_url(printed("x")), 100)


def test_the_gateway_imports_no_torch() -> None:
    code = (
        "import sys; from docspec.serve.app import make_app; from docspec.serve.settings import GatewaySettings\n"
        "from docspec.serve import readers, recognition; readers.reader_of('OCR:', '')\n"
        "make_app(GatewaySettings(('http://127.0.0.1:1',)))\n"
        "print([name for name in ('torch', 'transformers', 'paddleocr') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert ran.stdout.strip() == "[]"
