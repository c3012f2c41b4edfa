"""The checks of ``docspec doctor --device``, one function each; see :mod:`docspec.bench.device`."""

from __future__ import annotations

import contextlib
import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import torch

from docspec.core import ParseOptions

if TYPE_CHECKING:
    from PIL.Image import Image

    from docspec.engine.request import Loop, Request
    from docspec.targets.adapter import TransformersTarget
    from docspec.targets.registry import LoadedTarget
    from docspec.targets.stepping.step import StepBatch, StepRunner

TOKENS = 96
"""Tokens of the page that are compared."""

TREES = (1, 16, 64)
ROWS = (1, 4)
PREFIX = 1024
REPEATS = 5
NEAR = 0.25
"""A choice whose margin is below this many logits is called a near tie in half precision."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check: ``ok`` is ``None`` where nothing could be said. ``figures`` are for a report."""

    name: str
    ok: bool | None
    detail: str
    remedy: str = ""
    figures: dict[str, Any] = field(default_factory=dict)


class OutOfTime(Exception):
    """The checks have taken as long as they may."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The time left to the checks, tested before every step and, as a stop rule, after every token."""

    end: float

    @property
    def left(self) -> float:
        return self.end - time.monotonic()

    def check(self) -> None:
        """Raises :class:`OutOfTime` where no time is left."""
        if self.left < 0:
            raise OutOfTime

    def observe(self, token: int) -> Loop | None:
        self.check()
        return None


def _line(ok: bool | None, detail: str, **figures: Any) -> CheckResult:
    return CheckResult("", ok, detail, figures=figures)


def facts(device: torch.device) -> CheckResult:
    """Its facts."""
    from docspec.versions import versions

    module = torch.get_device_module(device)
    known: dict[str, Any] = {"device": str(device), "torch": torch.__version__, "docspec": versions()["docspec"]}
    if hasattr(module, "get_device_properties") and device.type != "cpu":
        of_device = module.get_device_properties(device)
        for name in ("name", "total_memory", "major", "minor", "multi_processor_count"):
            if hasattr(of_device, name):
                known[name] = getattr(of_device, name)
    if device.type == "cuda":
        known |= {"cuda": torch.version.cuda, "cudnn": torch.backends.cudnn.version()}
    memory = f", {known['total_memory'] / 2**30:.0f} GiB" if "total_memory" in known else ""
    line = _line(True, f"{known.get('name', device)}{memory}, torch {torch.__version__}", **known)
    return replace(line, name=str(device))


def _request(loaded: LoadedTarget, page: Image, clock: Clock) -> Request:
    from docspec.engine.request import Request
    from docspec.opening import dialect_of

    prompt = loaded.target.encode(page, dialect_of(loaded).page_prompt)
    return Request(prompt, (), TOKENS, stop=lambda: clock)


def _with_drafts(request: Request, tokens: tuple[int, ...]) -> Request:
    """A draft with every ninth token wrong, and one that begins late: both have to be left and found again."""
    wrong = tuple(tokens[at - 1] if at % 9 == 8 else token for at, token in enumerate(tokens))
    return replace(request, drafts=(wrong, tokens[7:]))


def _options(loaded: LoadedTarget, **more: Any) -> ParseOptions:
    return ParseOptions(device=loaded.info.device, **more)


def same_tokens(loaded: LoadedTarget, page: Image, clock: Clock) -> CheckResult:
    """Drafted, plain and ``generate``, token for token."""
    from docspec.bench.generate import generated
    from docspec.generation.local import make_decoder

    request = _request(loaded, page, clock)
    engine = make_decoder(loaded.target, _options(loaded))
    plain = engine.baseline(request)[0].tokens
    theirs = tuple(generated(loaded.target, request.prompt.inputs, TOKENS, clock.left)[0])
    clock.check()
    drafted = []
    for _ in range(3):  # steps as they are, while they are captured, captured
        [output], stats = engine.speculate([_with_drafts(request, plain)])
        drafted.append(output.tokens)
    differ = [name for name, tokens in (("generate", theirs), *(("drafts", one) for one in drafted)) if tokens != plain]
    figures = {"tokens": len(plain), "tokens_per_step": len(plain) / max(stats.steps, 1), "differ": differ}
    if len(plain) < 8:
        return _line(None, f"the model writes {len(plain)} tokens of this page: nothing to compare", **figures)
    detail = f"{len(plain)} tokens, {figures['tokens_per_step']:.1f} a step"
    return _line(not differ, detail if not differ else f"{', '.join(differ)} differ from plain decoding", **figures)


def near_ties(loaded: LoadedTarget, page: Image, clock: Clock) -> CheckResult:
    """Drafted against plain with ``--exact strict``, and how many choices would have been near ties without."""
    from docspec.generation.local import make_decoder

    request = replace(_request(loaded, page, clock), least_margin=NEAR)
    engine = make_decoder(loaded.target, _options(loaded, exact="strict"))
    plain = engine.baseline(request)[0].tokens
    [output], stats = engine.speculate([_with_drafts(request, plain)])
    figures = {"tokens": len(plain), "near_ties": stats.redecided, "smallest_margin": stats.smallest_margin}
    detail = f"{len(plain)} tokens, {stats.redecided} choices within {NEAR} logits"
    same = output.tokens == plain
    apart = f"drafts differ from plain decoding with --exact strict; {detail}"
    return _line(same, detail if same else apart, **figures)


def _steps(rows: int, width: int, prefix: int, seed: int) -> StepBatch:
    """A step of chains whose tokens differ with ``seed``."""
    import numpy as np

    from docspec.targets.stepping.step import OutputFlags, chain

    plain = chain(rows, width, prefix, prefix + width)
    tokens = np.random.default_rng(seed).integers(0, 64, plain.tokens.shape)
    return replace(plain, tokens=tokens, flags=OutputFlags(margins=True))


def graphs(loaded: LoadedTarget, page: Image, clock: Clock) -> CheckResult:
    """Captured steps against plain ones over inputs that change, and caches of other rows and slots."""
    from docspec.targets.stepping.eager import EagerSteps

    target, steps = loaded.target, loaded.target.steps
    if steps.report.mode == "eager":
        return _line(None, f"steps run as they come: {steps.report.reason}")
    plain, differ, compared = EagerSteps(target), 0, 0
    for turn, (rows, slots) in enumerate(((1, 300), (4, 300), (1, 900), (4, 300), (1, 300))):
        cache = target.kv.cache(*steps.geometry(rows, slots))
        with torch.inference_mode():
            cache.storage.normal_()
        for width in (1, 12):
            for seed in range(3):
                clock.check()
                step = _steps(rows, width, 200, 10 * turn + seed)
                compared += 1
                differ += plain.run(step, cache).choice != steps.run(step, cache).choice
    report = steps.report
    each = 1e3 * report.warmup_seconds / max(report.captured, 1)
    figures = {
        "mode": report.mode, "reason": report.reason, "compared": compared, "differ": differ,
        "captured": report.captured, "milliseconds_a_capture": each,
    }  # fmt: skip
    if report.mode == "eager":
        return _line(False, f"steps could not be captured: {report.reason}", **figures)
    detail = f"{compared} steps, {differ} differ; {report.captured} captured, {each:.0f} ms each"
    return _line(not differ and report.captured > 0, detail, **figures)


def failed_capture(loaded: LoadedTarget, page: Image, clock: Clock) -> CheckResult:
    """A capture is made to fail; afterwards memory can be given back, and a page is read."""
    from docspec.core.errors import release_memory
    from docspec.generation.local import make_decoder
    from docspec.targets.stepping.captures import can_capture
    from docspec.targets.stepping.choice import make_steps

    target = loaded.target
    if not can_capture(target.kv_spec.device):
        return _line(None, f"{target.kv_spec.device.type} has no graphs")
    request = _request(loaded, page, clock)
    engine = make_decoder(target, _options(loaded))
    expected = engine.baseline(request)[0].tokens
    usual = target.steps
    usual.forget()
    try:
        with _waiting_logits(target):
            target.steps = make_steps(target, "cuda")
            engine.baseline(request)
            failed = target.steps.report
        release_memory()
        target.steps = make_steps(target, "cuda")
        again = [engine.baseline(request)[0].tokens for _ in range(2)]
        after = target.steps.report
    finally:
        target.steps = usual
    same = again == [expected] * 2
    figures = {"failed": failed.reason, "after": after.mode, "same": same}
    if failed.mode == "cuda":
        return _line(False, "a step that waits for the device was captured", **figures)
    fine = same and after.mode == "cuda"
    return _line(fine, "the next page is read, and captured" if fine else f"the next page: {after.reason}", **figures)


@contextlib.contextmanager
def _waiting_logits(target: TransformersTarget) -> Iterator[None]:
    """A context in which a step waits for the device midway: it cannot be captured."""
    honest = target.logits

    def waiting(hidden: torch.Tensor) -> torch.Tensor:
        logits = honest(hidden)
        float(logits.sum())
        return logits

    target.logits = waiting  # type: ignore[method-assign]
    try:
        yield
    finally:
        del target.logits


def waiting(loaded: LoadedTarget, page: Image, clock: Clock) -> CheckResult:
    """Counts a step's waits besides that for its answer: torch warns of operations that make the host wait."""
    from docspec.targets.stepping.eager import EagerSteps

    target = loaded.target
    module = torch.get_device_module(target.kv_spec.device)
    if not hasattr(module, "set_sync_debug_mode"):
        return _line(None, f"torch does not tell for {target.kv_spec.device.type}")
    by_mode = {}
    cache = target.kv.cache(*target.steps.geometry(1, PREFIX + max(TREES) + 1))
    ways: tuple[StepRunner, ...] = (EagerSteps(target), target.steps)
    for runner in ways:
        for seed in range(3):
            clock.check()
            runner.run(_steps(1, 12, PREFIX, seed), cache)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            module.set_sync_debug_mode("warn")
            try:
                runner.run(_steps(1, 12, PREFIX, 3), cache)
            finally:
                module.set_sync_debug_mode("default")
        by_mode[runner.report.mode] = sum("called a synchronizing" in str(one.message) for one in caught)
    fine = all(waits <= 1 for waits in by_mode.values())  # for its answer
    return _line(fine, ", ".join(f"{mode}: {waits} a step" for mode, waits in by_mode.items()), waits=by_mode)


def attention(loaded: LoadedTarget, page: Image, clock: Clock) -> CheckResult:
    """Times the kernels that take the attention of a tree, and whole steps with masks and with keys split
    (:mod:`docspec.targets.tree_attention`); pages use the quicker way."""
    from docspec.bench.step import measure_attention
    from docspec.hierarchy import calibration

    target, spec = loaded.target, loaded.target.kv_spec
    lines, figures, fine = [], {}, True
    if spec.device.type == "cuda":
        kernel_times = measure_attention(spec, target.decoder.config.num_attention_heads, PREFIX, max(TREES))
        cudnn, fine = torch.backends.cuda.cudnn_sdp_enabled(), kernel_times["memory-efficient"] is not None
        kernels = ", ".join(
            f"{name} {ms:.3f} ms" if ms is not None else f"{name} no" for name, ms in kernel_times.items()
        )
        lines.append(f"a layer's, tree of {max(TREES)}: {kernels}; cuDNN's is {'on' if cudnn else 'off'}")
        figures = {"milliseconds": kernel_times, "cudnn": cudnn}
    clock.check()
    if not target.no_split:
        prefix = calibration.prefix_of(target)
        cache = target.kv.cache(*target.steps.geometry(2, prefix + max(calibration.WIDTHS)))
        masked, split = calibration.choose_attention(target, cache, prefix, REPEATS)
        chosen = "split" if target.split else "masked"
        lines.append(f"three steps: masked {1e3 * masked:.2f} ms, keys split {1e3 * split:.2f} ms, so {chosen}")
        figures |= {"masked_ms": 1e3 * masked, "split_ms": 1e3 * split, "split": target.split}
    detail = "; ".join(lines) or f"{loaded.info.attention}; torch has one way on {spec.device.type}"
    return _line(fine if lines else None, detail, **figures)


def step_times(loaded: LoadedTarget, page: Image, clock: Clock) -> CheckResult:
    """Milliseconds over trees and rows, beside the floor of the memory's bandwidth."""
    from docspec.bench.step import Omitted, StepTime, measure, measure_bandwidth

    target = loaded.target
    bandwidth = measure_bandwidth(target.kv_spec.device, 3)
    times, omitted = [], []
    for one in measure(target, bandwidth, PREFIX, TREES, ROWS, REPEATS, patience=1.0):
        clock.check()
        if isinstance(one, StepTime):
            times.append(one)
        elif isinstance(one, Omitted):
            omitted.append(one)
    quickest = times[-1].mode if times else ""
    listed = ", ".join(f"{one.rows} x {one.tree}: {one.median:.1f}" for one in times if one.mode == quickest)
    figures = {
        "bandwidth_gb_s": bandwidth / 1e9,
        "times": [asdict(one) for one in times],
        "omitted": [asdict(one) for one in omitted],
    }
    return _line(not omitted and bool(times), f"{quickest} {listed} ms; {bandwidth / 1e9:.0f} GB/s", **figures)


def memory(loaded: LoadedTarget, page: Image, clock: Clock) -> CheckResult:
    """The peak of memory beside the estimate from before loading."""
    from docspec.targets.estimate import estimate, gib

    target = loaded.target
    module = torch.get_device_module(target.kv_spec.device)
    if not hasattr(module, "max_memory_allocated"):
        return _line(None, f"torch does not tell for {target.kv_spec.device.type}")
    wanted = estimate(loaded.info.path, loaded.info.dtype, 1).weights
    held = sum(weight.nbytes for weight in target.model.parameters())
    most = int(module.max_memory_allocated(target.kv_spec.device))
    figures = {"estimated_weights": wanted, "weights": held, "most": most, "keys_values": target.kv.nbytes}
    rest = f"{gib(target.kv.nbytes)} for keys and values, {gib(most)} at most"
    detail = f"weights {gib(held)} (reckoned {gib(wanted)}), {rest}"
    return _line(abs(held - wanted) <= 0.15 * max(held, wanted), detail, **figures)
