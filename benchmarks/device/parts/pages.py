"""Whole pages of a published size that follow transcripts: with trees, plainly in graphs, by ``generate``, in each way
of attending; and where the first page's time goes.
"""

from __future__ import annotations

import time
from itertools import islice

from benchmarks.device import page_costs
from benchmarks.device.attention_ways import attending, ways_of
from benchmarks.device.context import GIB, Context, guarded
from benchmarks.device.parts.steps import calibrated
from benchmarks.device.scripted_pages import ScriptedPage, ScriptedReader
from docspec.bench.generate import generated

AFTERWARDS = 3
"""Pages after the first that are read in the second way, too."""


def run(context: Context, name: str) -> None:
    reader = ScriptedReader(context, name)
    inner = reader.inner
    with guarded(context, "calibration"):
        calibrated(context, name, inner)
    own_way, *other_ways = ways_of(inner)
    first, *others = reader.names[: 2 if context.tiny else None]
    page = None
    with guarded(context, f"page {first}"):
        page = reader.compared(first, own_way, 8, whole=True)
    if page is None:
        return
    for what, measure in (("prefill", page_costs.prefill), ("generate", _generate), ("host", page_costs.host)):
        with guarded(context, what), attending(inner, own_way):
            measure(reader, page)
    pages = [(first, way, 12.0) for way in other_ways] + [(other, own_way, 20.0) for other in others[:2]]
    _compared(reader, pages)
    if context.has(16):
        with guarded(context, "profile"), attending(inner, own_way):
            page_costs.profiled(reader, page)
    pages = [(other, own_way, 9.0) for other in others[2:]]
    again = ((other, way, 9.0) for way in other_ways for other in islice(others, AFTERWARDS))
    _compared(reader, [*pages, *again])
    context.emit("memory", model=name, kv_gib=inner.kv.nbytes / GIB, **context.memory())


def _compared(reader: ScriptedReader, pages: list[tuple[str, str, float]]) -> None:
    for page, way, spare in pages:
        with guarded(reader.context, f"page {page} {way}"):
            reader.compared(page, way, spare)


def _generate(reader: ScriptedReader, page: ScriptedPage) -> None:
    """transformers' ``generate`` over the first tokens; the page's time is reckoned from them."""
    context = reader.context
    prompt = reader.target.encode(page.image, "")
    few, more = (2, 6) if context.tiny else (4, 36)
    seconds = {}
    for budget in (few, more):
        started = time.perf_counter()
        generated(reader.inner, prompt.inputs, budget)
        seconds[budget] = time.perf_counter() - started
    each = (seconds[more] - seconds[few]) / (more - few)
    context.emit(
        "generate",
        model=reader.name,
        ms_a_token=1e3 * each,
        first_tokens_s=seconds[few],
        prompt=prompt.length,
        page_s_extrapolated=seconds[few] + each * (len(page.script) - few),
        tokens=len(page.script),
        **context.memory(),
    )
