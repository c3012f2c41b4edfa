"""Pages that follow transcripts, read by a target of random weights: real times, real acceptance, simulated text."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image

from benchmarks.device.attention_ways import attending
from benchmarks.device.context import Context
from benchmarks.device.sizes import built
from benchmarks.scripted_target import ScriptedTarget
from benchmarks.transcripts import DIALECTS, TokenizerFile
from docspec.core import PageDraft, ParseOptions
from docspec.core.validation import parsed_as
from docspec.dialects import make_dialect
from docspec.engine.request import Request
from docspec.generation.local import make_decoder
from docspec.targets.registry import BUNDLED

if TYPE_CHECKING:
    from docspec.core.grammar import Grammar

RESERVED = 16_384
"""Slots that are reserved at once on a GPU, as loading a model does: captures are lost where the cache grows."""

SETTLING = 4
"""Readings of a page at most, until one needs no capture."""

ENOUGH = 300
"""Plain tokens that are timed of a page; the rest of the page is reckoned from them."""

Run = dict[str, Any]
"""One reading: the fields of a finding."""


@dataclass(frozen=True, slots=True)
class ScriptedPage:
    """A page with its drafts' tokens and the ``script`` that reading it writes. ``about`` is what ``prepare`` noted,
    ``spelling`` the seconds that spelling and tokenizing the drafts took."""

    name: str
    image: Image.Image
    script: list[int]
    drafts: tuple[tuple[int, ...], ...]
    grammar: Callable[[], Grammar | None]
    spelling: float
    about: dict[str, Any]


class ScriptedReader:
    """Reads the prepared pages with the published size ``name``."""

    def __init__(self, context: Context, name: str) -> None:
        tokenizer = context.data / "tokenizer.json.gz"
        self.codec = TokenizerFile(tokenizer if tokenizer.is_file() else BUNDLED / "tokenizer.json")
        self.context, self.name = context, name
        self.inner = built(context, name, self.codec.end)
        self.target = ScriptedTarget(self.inner, self.codec)
        self._options = ParseOptions(device=context.device_name)
        self.engine = make_decoder(self.target, self._options)
        self._about = json.loads((context.data / "prepared.json").read_text())["transcripts"]
        self.names = list(self._about)
        if context.is_cuda:
            self.inner.kv.reserve(RESERVED)

    def page(self, name: str) -> ScriptedPage:
        folder, about = self.context.data / "transcripts", self._about[name]
        with Image.open(folder / f"{name}.png") as opened:
            image = opened.convert("RGB")
        draft = parsed_as(PageDraft, (folder / f"{name}.draft.json").read_bytes())
        transcript = folder / about["transcript"]
        dialect = make_dialect(DIALECTS[Path(transcript).suffix])
        width, height = image.size
        script = self.codec.tokenize(transcript.read_text(encoding="utf-8"))
        started = time.perf_counter()
        drafts = tuple(tuple(self.codec.tokenize(text)) for text in dialect.page_drafts(draft, width, height))
        spelling = time.perf_counter() - started
        if self.context.tiny:
            image, script = image.resize((448, 608)), script[:60]
        grammar = partial(dialect.grammar, draft, width, height)
        return ScriptedPage(name, image, script, drafts, grammar, spelling, about)

    def read(self, page: ScriptedPage, drafted: bool, most: int | None = None) -> Run:
        """Once, from pixels to the end of the script or of its first ``most`` tokens."""
        script = page.script[:most]
        self.target.follow(script)
        before = self.inner.steps.report
        self.context.sync()
        started = time.perf_counter()
        prompt = self.target.encode(page.image, "")
        encoded = time.perf_counter() - started
        budget = len(script) + self._options.max_tree + 1
        if drafted:
            request = Request(prompt, page.drafts, budget, grammar=page.grammar)
            [output], stats = self.engine.speculate([request])
        else:
            output, stats = self.engine.baseline(Request(prompt, (), budget))
        after = self.inner.steps.report
        return {
            "prompt": prompt.length,
            "tokens": len(script),
            "encode_s": encoded,
            "prefill_s": stats.prefill_seconds,
            "decode_s": stats.decode_seconds,
            "forwards": stats.forwards,
            "accepted": stats.accepted,
            "host_s": stats.host_seconds,
            "proposing_s": sum(stats.source_seconds.values()),
            "captured": after.captured - before.captured,
            "capture_s": after.warmup_seconds - before.warmup_seconds,
            "mode": after.mode,
            "follows": list(output.tokens) == script,
        }

    def compared(self, name: str, way: str, spare: float, whole: bool = False) -> ScriptedPage | None:
        """A page with trees and plainly, with trees attended by ``way``, as a finding; ``None`` where ``spare`` seconds
        are not left. ``whole``: plain decoding goes to the page's end, too."""
        if not self.context.has(spare):
            return None
        with attending(self.inner, way):
            page = self.page(name)
            first = trees = self.read(page, True)
            for _ in range(SETTLING - 1):
                trees = self.read(page, True)
                if not trees["captured"]:
                    break
            self.read(page, False, 40)  # captured
            plain = self.read(page, False, None if whole else ENOUGH)
        scale = len(page.script) / plain["tokens"]
        plain["decode_s"] = (plain["decode_s"] - plain["capture_s"]) * scale
        plain["forwards"] *= scale
        self.context.emit("page", **self._ratios(page, way, plain, trees), plain=plain, trees=trees, first_run=first)
        return page

    def _ratios(self, page: ScriptedPage, way: str, plain: Run, trees: Run) -> dict[str, Any]:
        drafting = page.about["draft_seconds_where_prepared"]
        totals = [run["encode_s"] + run["prefill_s"] + run["decode_s"] for run in (plain, trees)]
        own = totals[1] + page.spelling
        return {
            "model": self.name,
            "page": page.name,
            "way": way,
            "simulated": "follows a transcript",
            "drafter": page.about["drafter"],
            "draft_seconds_where_prepared": drafting,
            "spelling_s": page.spelling,
            "tokens_a_step": len(page.script) / trees["forwards"],
            "plain_ms_a_token": 1e3 * plain["decode_s"] / plain["forwards"],
            "tree_ms_a_step": 1e3 * trees["decode_s"] / trees["forwards"],
            "sr_decode": plain["decode_s"] / (page.spelling + trees["decode_s"]),
            "sr_e2e_drafts_ready": totals[0] / own,
            "sr_e2e_with_draft": totals[0] / (own + drafting),
            **self.context.memory(),
        }
