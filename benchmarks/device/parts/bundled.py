"""The bundled reader, whose weights are trained: in float32 every way of reading against ``generate``; in half
precision where ways depart from plain captured decoding, and whether the choice was a near tie.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import torch

from benchmarks.device.context import Context, guarded
from docspec.bench.device_checks import NEAR, _with_drafts
from docspec.bench.fidelity import check_documents
from docspec.bench.generate import generated
from docspec.core import ParseOptions
from docspec.documents import expand_inputs
from docspec.drafting import make_drafter
from docspec.generation.local import make_decoder
from docspec.targets.registry import LoadedTarget, load_target

if TYPE_CHECKING:
    from docspec.engine.request import Request
    from docspec.targets.adapter import TransformersTarget

CHECK = ("drafts", "way", "verdict", "apart", "tokens", "steps", "error")
"""What a finding keeps of a comparison."""

DTYPE: Literal["bfloat16"] = "bfloat16"


def pages(data: Path) -> list[Path]:
    """Pictures for the bundled reader, small ones first."""
    return sorted((data / "bundled").glob("*.png"), key=lambda file: (file.stat().st_size, file.name))


def run(context: Context, dtype: str) -> None:
    (_fidelity if dtype == "float32" else _near_ties)(context)


def _fidelity(context: Context) -> None:
    files = pages(context.data)[: 2 if context.tiny else None]
    for graphs, some in (("auto", files), ("off", files[:1])):
        options = ParseOptions(
            model="mini",
            device=context.device_name,
            dtype="float32",
            words="model",
            drafter="saved",
            drafts=context.data / "bundled" / "drafts",
            graphs=graphs,  # type: ignore[arg-type]
            max_tokens=40 if context.tiny else None,
        )
        for file in some:
            if not context.has(15):
                context.emit("fidelity", page=file.stem, graphs=graphs, skipped=True)
                continue
            with guarded(context, f"fidelity {file.stem} {graphs}"):
                started = time.perf_counter()
                sources = list(expand_inputs([str(file)]).sources)
                for page in check_documents(sources, options, [make_drafter(options)]):
                    context.emit(
                        "fidelity",
                        page=file.stem,
                        graphs=graphs,
                        seconds=time.perf_counter() - started,
                        checks=[{name: asdict(check)[name] for name in CHECK} for check in page.checks],
                        skips=[asdict(skip) for skip in page.skips],
                        inputs=page.inputs,
                    )


def _near_ties(context: Context) -> None:
    base = ParseOptions(model="mini", device=context.device_name, dtype=DTYPE, words="model", stages="none")
    exact = load_target(replace(base, dtype="float32", graphs="off")).target
    loaded = load_target(base)
    target = loaded.target
    plain = make_decoder(target, base)
    strict = make_decoder(target, replace(base, exact="strict"))
    eager = make_decoder(load_target(replace(base, graphs="off")).target, base)
    ways: dict[str, Callable[[Request, Request], tuple[int, ...]]] = {
        "generate": lambda request, _: tuple(generated(target, request.prompt.inputs, request.budget)[0]),
        "eager plain": lambda request, _: eager.baseline(request)[0].tokens,
        "trees": lambda _, drafted: plain.speculate([drafted])[0][0].tokens,
        "strict": lambda _, drafted: strict.speculate([replace(drafted, least_margin=NEAR)])[0][0].tokens,
    }
    totals = {way: {"crops": 0, "identical": 0, "tokens": 0} for way in ways}
    for file in pages(context.data)[: 2 if context.tiny else None]:
        for request in _crops(loaded, base, file, context.data)[: 2 if context.tiny else 40]:
            if not context.has(6):
                break
            with guarded(context, f"near ties {file.stem}"):
                request = replace(request, budget=min(request.budget, 30 if context.tiny else 160))
                expected = plain.baseline(request)[0].tokens
                if not expected:
                    continue
                drafted = _with_drafts(request, expected)
                for way, write in ways.items():
                    tokens = write(request, drafted)
                    totals[way]["crops"] += 1
                    totals[way]["tokens"] += len(expected)
                    totals[way]["identical"] += tokens == expected
                    if tokens != expected:
                        _departure(context, file.stem, way, request, tokens, expected, (exact, target))
        context.emit("near ties", page=file.stem, totals=totals)
    report = target.steps.report
    context.emit("near ties", page="all", totals=totals, mode=report.mode, why=report.reason)


def _crops(loaded: LoadedTarget, options: ParseOptions, file: Path, data: Path) -> list[Request]:
    """The requests of a page's crops, as reading by regions makes them."""
    from PIL import Image

    from docspec.bench.fidelity import FixedDraft
    from docspec.bench.generate import requests_of
    from docspec.core import PageDraft, PageImage
    from docspec.core.observer import NullObserver
    from docspec.drafting import SafeDrafter
    from docspec.drafting.drafted_page import DraftedPage
    from docspec.drafting.saved import SavedDrafter
    from docspec.hierarchy.page import PageParser
    from docspec.opening import dialect_of

    page = PageImage(Image.open(file).convert("RGB"), 1, 200 / 72, str(file))
    drafted = DraftedPage(page, SavedDrafter(data / "bundled" / "drafts").draft(page))
    drafter = SafeDrafter(FixedDraft(PageDraft()))
    return requests_of(PageParser(loaded, dialect_of(loaded), drafter, options, NullObserver()), drafted)


def _departure(
    context: Context,
    page: str,
    way: str,
    request: Request,
    tokens: tuple[int, ...],
    expected: tuple[int, ...],
    targets: tuple[TransformersTarget, TransformersTarget],
) -> None:
    """Where ``tokens`` leave ``expected``, and how near the two best tokens are there, in float32 and as it runs."""
    pairs = enumerate(zip(tokens, expected, strict=False))
    at = next((i for i, (a, b) in pairs if a != b), min(len(tokens), len(expected)))
    names = ("float32", DTYPE)
    margins = {n: margin(target, request, expected[:at]) for n, target in zip(names, targets, strict=True)}
    near = margins["float32"][0] < NEAR
    context.emit("departure", page=page, way=way, at=at, of=len(expected), margins=margins, near_tie=near)


def margin(target: TransformersTarget, request: Request, written: tuple[int, ...]) -> tuple[float, list[int]]:
    """The difference of the two best logits after the prompt and ``written``, in one forward pass, and their tokens."""
    spec = target.kv_spec
    inputs: dict[str, Any] = {
        name: value.to(spec.device, spec.dtype if value.is_floating_point() else None)
        for name, value in request.prompt.inputs.items()
        if name != "attention_mask"
    }
    more = torch.tensor([list(written)], dtype=torch.long, device=spec.device)
    inputs["input_ids"] = torch.cat((inputs["input_ids"], more), 1)
    if "mm_token_type_ids" in inputs:
        kinds = inputs["mm_token_type_ids"]
        inputs["mm_token_type_ids"] = torch.cat((kinds, torch.zeros_like(more, dtype=kinds.dtype)), 1)
    with torch.inference_mode():
        logits = target.model(**inputs, logits_to_keep=1, use_cache=False).logits[0, -1].float()
    best = logits.topk(2)
    return float(best.values[0] - best.values[1]), best.indices.tolist()
