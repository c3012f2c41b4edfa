"""Where a page's time goes: the parts of its prompt, those of a step on the host, kernels on the device."""

from __future__ import annotations

import cProfile
import pstats
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from benchmarks.device.scripted_pages import ScriptedPage, ScriptedReader

TOWERS = ("visual", "vision_tower", "vision_model")
"""What vision towers are called in their models."""

KERNELS, FUNCTIONS = 28, 25
"""How many of them a finding names."""


@contextmanager
def timed(
    seconds: dict[str, float], owner: Any, attribute: str, key: str, wait: Callable[[], None] = lambda: None
) -> Iterator[None]:
    """Within it, calls of ``owner.attribute`` add what they take to ``seconds[key]``, with ``wait`` called around
    them."""
    call, was_own = getattr(owner, attribute), attribute in vars(owner)

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        wait()
        start = time.perf_counter()
        try:
            return call(*args, **kwargs)
        finally:
            wait()
            seconds[key] = seconds.get(key, 0.0) + time.perf_counter() - start

    setattr(owner, attribute, wrapped)
    try:
        yield
    finally:
        if was_own:
            setattr(owner, attribute, call)
        else:
            delattr(owner, attribute)


def prefill(reader: ScriptedReader, page: ScriptedPage) -> None:
    """Encoding on the host, copying, the vision tower, the decoder over the prompt: the last of three turns."""
    context, inner = reader.context, reader.inner
    tower = next((m for name, m in inner.model.named_modules() if name.rpartition(".")[2] in TOWERS), None)
    seconds: dict[str, float] = {}
    with (
        timed(seconds, inner, "_joined", "upload", context.sync),
        timed(seconds, inner.decoder, "forward", "decoder", context.sync),
        nullcontext() if tower is None else timed(seconds, tower, "forward", "vision", context.sync),
    ):
        for _ in range(3):
            seconds.clear()
            reader.target.follow(page.script)
            start = time.perf_counter()
            prompt = reader.target.encode(page.image, "")
            seconds["encode"] = time.perf_counter() - start
            cache = inner.kv.cache(*inner.steps.geometry(1, prompt.length + len(page.script) + 80))
            context.sync()
            context.forget_peak()
            start = time.perf_counter()
            inner.prefill([prompt], cache, [0])
            context.sync()
            seconds["prefill"] = time.perf_counter() - start
    context.emit(
        "prefill",
        model=reader.name,
        page=page.name,
        prompt=prompt.length,
        pixels=list(page.image.size),
        patches=int(prompt.inputs["pixel_values"].shape[0]),
        seconds=dict(seconds),
        piece=inner.piece,
        **context.memory(),
    )


def host(reader: ScriptedReader, page: ScriptedPage) -> None:
    """The host's parts of a step; "verify: wait and read" is the time in which it waits for the device."""
    from docspec.engine import loop
    from docspec.engine.loop import SpecDecode
    from docspec.targets.stepping.bucketed import StaticStep
    from docspec.targets.stepping.eager import EagerSteps

    seconds: dict[str, float] = {}
    reader.read(page, True)  # captured
    with (
        timed(seconds, SpecDecode, "propose", "propose: all"),
        timed(seconds, loop, "linearise", "propose: lay out"),
        timed(seconds, SpecDecode, "verify", "verify: all"),
        timed(seconds, SpecDecode, "accept", "accept"),
        timed(seconds, SpecDecode, "compact", "compact"),
        timed(seconds, StaticStep, "load", "verify: load"),
        timed(seconds, StaticStep, "read", "verify: wait and read"),
        timed(seconds, EagerSteps, "run", "verify: eager step"),
    ):
        run = reader.read(page, True)
    steps = run["forwards"]
    reader.context.emit(
        "host",
        model=reader.name,
        page=page.name,
        steps=steps,
        step_ms=1e3 * run["decode_s"] / steps,
        ms_a_step={key: 1e3 * value / steps for key, value in seconds.items()},
        proposing_ms=1e3 * run["proposing_s"] / steps,
    )


def profiled(reader: ScriptedReader, page: ScriptedPage) -> None:
    """The device's kernels by torch's profiler, then the host's functions by Python's."""
    from torch.profiler import ProfilerActivity, profile

    context = reader.context
    activity = ProfilerActivity.CUDA if context.is_cuda else ProfilerActivity.CPU
    field = "self_device_time_total" if context.is_cuda else "self_cpu_time_total"
    reader.read(page, True)  # captured
    reader.read(page, False, 40)
    for what, drafted, most in (
        ("page with trees", True, None),
        ("prefill alone", False, 1),
        ("100 plain tokens", False, 100),
    ):
        with profile(activities=[activity]) as found:
            run = reader.read(page, drafted, most)
            context.sync()
        rows = sorted(
            ((event.key, getattr(event, field) / 1e3, event.count) for event in found.key_averages()),
            key=lambda row: -row[1],
        )
        context.emit(
            "kernels",
            model=reader.name,
            what=what,
            forwards=run["forwards"],
            decode_s=run["decode_s"],
            prefill_s=run["prefill_s"],
            total_ms=sum(row[1] for row in rows),
            count=sum(row[2] for row in rows),
            top=[[name[:110], ms, count] for name, ms, count in rows[:KERNELS]],
        )
    python = cProfile.Profile()
    python.enable()
    run = reader.read(page, True)
    python.disable()
    stats: dict[Any, Any] = pstats.Stats(python).stats  # type: ignore[attr-defined]
    functions = sorted(stats.items(), key=lambda one: -one[1][2])[:FUNCTIONS]
    top = [
        [f"{Path(file).name}:{line} {name}", calls, 1e3 * own, 1e3 * whole]
        for (file, line, name), (_, calls, own, whole, _) in functions
    ]
    context.emit("python", model=reader.name, steps=run["forwards"], top=top)
