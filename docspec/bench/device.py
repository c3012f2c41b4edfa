"""``docspec doctor --device`` checks what docspec needs of an accelerator, a line for each check.

Tokens are compared on the device itself: drafted, plain and ``generate``'s; captured steps and plain ones. Speed is
measured. A check that fails is a line, and the next one runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch
from PIL import Image, ImageDraw

from docspec.bench import device_checks as checks
from docspec.bench.device_checks import CheckResult, Clock, OutOfTime
from docspec.core import DocspecError, ParseOptions
from docspec.core.errors import release_memory
from docspec.core.safe_text import first_line

if TYPE_CHECKING:
    from docspec.targets.registry import LoadedTarget

SECONDS = 120.0
"""Seconds for all checks together, and one step more; checks left by then are reported as such."""


@dataclass(frozen=True, slots=True)
class DeviceCheck:
    """``run`` is given a loaded target and answers with a line; ``remedy`` is said where it fails."""

    name: str
    run: Callable[[LoadedTarget, Image.Image, Clock], CheckResult]
    remedy: str


CORRECT = (
    DeviceCheck("float32: drafts, plain, generate", checks.same_tokens, "--exact strict; if it stays, report it"),
    DeviceCheck("graphs over changed inputs and caches", checks.graphs, "--set graph-mode=off"),
    DeviceCheck("a capture that fails", checks.failed_capture, "--set graph-mode=off"),
    DeviceCheck("memory beside the estimate", checks.memory, "kv-memory bounds keys and values"),
)
"""The checks in float32."""

FAST = (
    DeviceCheck("half precision: drafts, plain", checks.near_ties, "--exact strict, or --dtype float32"),
    DeviceCheck("waiting in a step", checks.waiting, "report it: decoding is slower than it could be"),
    DeviceCheck("attention", checks.attention, "report it"),
    DeviceCheck("milliseconds a step", checks.step_times, "python -m benchmarks step, from a clone, says more"),
)
"""The checks in the precision that pages are read with."""


def examine_device(name: str, model: str = "mini", seconds: float = SECONDS) -> Iterator[CheckResult]:
    """A line for every check of the device ``name`` with ``model``; raises :class:`docspec.core.DocspecError` where
    there is no such device."""
    from docspec.targets.registry import pick_device

    clock = Clock(time.monotonic() + seconds)
    over = f"{seconds:.0f} seconds were over"
    took = 0.0
    device = pick_device(name)
    yield checks.facts(device)
    page = printed_page()
    half = "float16" if device.type == "mps" else "bfloat16"
    for dtype, group in (("float32", CORRECT), (half, FAST)):
        loaded = None
        started = time.monotonic()
        try:
            if clock.left < took:  # what it took before
                raise OutOfTime
            loaded = _loaded(ParseOptions(model=model, device=name, dtype=dtype))  # type: ignore[arg-type]
            took = time.monotonic() - started
            yield CheckResult(f"{model} in {dtype}", True, f"loaded in {took:.1f} s", figures={"seconds": took})
        except OutOfTime:
            yield CheckResult(f"{model} in {dtype}", None, f"not loaded: {over}")
        except Exception as error:
            known = isinstance(error, DocspecError)  # a large model may well not fit in float32
            remedy = "--model mini, or a smaller one" if known else "report it"
            yield CheckResult(
                f"{model} in {dtype}", None if known and dtype == "float32" else False, first_line(error), remedy
            )
        for check in group:
            if loaded is None:
                yield CheckResult(check.name, None, "not checked: the model was not loaded")
                continue
            try:
                clock.check()
                yield _made(check, loaded, page, clock)
            except OutOfTime:
                yield CheckResult(check.name, None, f"not checked: {over}")
        del loaded
        release_memory()


def _loaded(options: ParseOptions) -> LoadedTarget:
    from docspec.targets.registry import load_target

    module = torch.get_device_module(torch.device(options.device))
    getattr(module, "reset_peak_memory_stats", lambda: None)()
    return load_target(options)


def _made(check: DeviceCheck, loaded: LoadedTarget, page: Image.Image, clock: Clock) -> CheckResult:
    started = time.monotonic()
    try:
        result = check.run(loaded, page, clock)
    except OutOfTime:
        raise
    except Exception as error:
        result = CheckResult(check.name, False, f"{type(error).__name__}: {first_line(error)}")
    remedy = result.remedy or (check.remedy if result.ok is False else "")
    seconds = {"seconds": round(time.monotonic() - started, 3)}
    return replace(result, name=check.name, remedy=remedy, figures={**result.figures, **seconds})


def printed_page() -> Image.Image:
    """A page of some lines, always the same."""
    image = Image.new("RGB", (448, 320), "white")
    draw = ImageDraw.Draw(image)
    for line in range(9):
        text = f"{line + 1}. Line {line + 1} of nine, printed to be read: {17 * line}"
        draw.text((16, 12 + 32 * line), text, fill="black")
    return image
