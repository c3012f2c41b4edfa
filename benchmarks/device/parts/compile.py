"""``torch.compile``: steps of a published width and few layers, compiled, captured, and both; and whether pages of the
bundled reader keep their tokens.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import asdict, replace

import torch

from benchmarks.device.context import Context, guarded
from benchmarks.device.sizes import built, shallow
from docspec.bench.device import printed_page
from docspec.bench.device_checks import Clock, _request, _with_drafts
from docspec.core import ParseOptions
from docspec.generation.local import make_decoder
from docspec.targets.adapter import TransformersTarget
from docspec.targets.registry import load_target
from docspec.targets.stepping.bucketed import BucketedSteps
from docspec.targets.stepping.captures import Compiled, CudaGraphs
from docspec.targets.stepping.eager import EagerSteps, view_of
from docspec.targets.stepping.step import OutputFlags, chain

SIZE, LAYERS = "dots.ocr", 8
"""Compiling takes a time for each layer."""

TREES = (64, 1)
PREFIX = 6000


def run(context: Context, _: str) -> None:
    backend = "eager" if context.tiny else "inductor"
    target = built(context, SIZE if context.tiny else shallow(SIZE, LAYERS))
    what = f"{SIZE}, {target.kv_spec.layers} layers"
    for tree in (8,) if context.tiny else TREES:
        if context.has(15):
            with guarded(context, f"compile {what} {tree}"), torch.inference_mode():
                _step(context, target, tree, what, backend)
    with contextlib.suppress(RuntimeError):
        target.kv.release()
    del target
    with guarded(context, "compile the bundled reader"):
        _page(context, backend)


def _step(context: Context, target: TransformersTarget, tree: int, what: str, backend: str) -> None:
    prefix = 64 if context.tiny else PREFIX
    cache = target.kv.cache(1, prefix + 129 if context.tiny else 6143)
    cache.storage.normal_()
    step = replace(chain(1, tree, prefix, view_of(prefix + tree, cache.slots)), flags=OutputFlags(margins=True))
    plain = EagerSteps(target)
    expected = plain.run(step, cache).choice
    compiled = BucketedSteps(target, Compiled(backend))
    compiled.run(step, cache)
    start = time.perf_counter()
    compiled.run(step, cache)  # the second run compiles
    seconds = time.perf_counter() - start
    got = compiled.run(step, cache).choice
    context.emit(
        "compiled",
        what=what,
        tree=tree,
        prefix=prefix,
        compile_s=seconds,
        same_choices=got == expected,
        agree=sum(a == b for a, b in zip(got[0], expected[0], strict=True)) / tree,
        eager_ms=context.wall(lambda: plain.run(step, cache), 3),
        compiled_ms=context.wall(lambda: compiled.run(step, cache), 5),
    )
    if not context.is_cuda:
        return
    usual = BucketedSteps(target, CudaGraphs())
    for _ in range(2):
        usual.run(step, cache)
    captured = next(reversed(usual._buckets.values())).replay
    assert captured is not None
    wall = context.wall(lambda: usual.run(step, cache), 5)
    context.emit("captured", what=what, tree=tree, device_ms=context.events(captured, 5), wall_ms=wall)
    both = next(reversed(compiled._buckets.values())).replay
    assert both is not None
    context.emit("compiled and captured", what=what, tree=tree, device_ms=context.graphed(both))


def _page(context: Context, backend: str) -> None:
    options = ParseOptions(model="mini", device=context.device_name, dtype="float32", graphs="off")
    loaded = load_target(options)
    target = loaded.target
    engine = make_decoder(target, ParseOptions())
    request = replace(_request(loaded, printed_page(), Clock(context.end)), budget=24)
    plain = engine.baseline(request)[0].tokens
    target.steps = BucketedSteps(target, Compiled(backend))
    start = time.perf_counter()
    written = [engine.speculate([_with_drafts(request, plain)])[0][0].tokens for _ in range(2)]
    seconds = time.perf_counter() - start
    report = asdict(target.steps.report)
    context.emit("compiled pages", same=written == [plain] * 2, seconds=seconds, report=report, tokens=len(plain))
