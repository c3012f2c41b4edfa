"""Everything that proposes does so on an accelerator: the output is the target's own, and what waits is bounded."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch

from docspec.core import ParseOptions
from docspec.engine.request import Request
from docspec.heads.checkpoint import save
from docspec.heads.network import Head, HeadConfig
from docspec.hierarchy.decoding import make_engine
from docspec.proposing.registry import CURSOR
from docspec.targets.registry import load_target

TOKENS = 18
ALIGNS = {
    **dict.fromkeys(("window", "cursor", *CURSOR), (1, 2)),
    "cursor+head:hivis": (2, 3),
    "head:vispec": (2, 3),
    "head:hivis tau": (2, 3),
}
"""How often a step may wait, and copy to the device: for itself, and once more each for a head's own passes."""


@pytest.fixture(scope="module")
def heads(lively_qwen, tmp_path_factory):
    """Directories of two heads that nobody has taught."""
    target = load_target(ParseOptions(model=str(lively_qwen), dtype="float32", device="cpu")).target
    size = target.decoder.config.hidden_size
    found = {}
    for kind in ("hivis", "vispec"):
        torch.manual_seed(1)
        found[kind] = tmp_path_factory.mktemp("heads") / kind
        save(Head(HeadConfig(kind, size, 2, 2 * size)), found[kind])
    return found


def requests_of(target, page, drafts=()):
    crops = [page, page.crop((0, 0, 320, 96)), page.crop((0, 64, 200, 192))]
    return [Request(target.encode(crop, "Read."), drafts, TOKENS - 3 * n) for n, crop in enumerate(crops)]


@pytest.fixture(scope="module")
def plain(lively_qwen, printed_page):
    target = load_target(ParseOptions(model=str(lively_qwen), dtype="float32", device="cpu")).target
    engine = make_engine(target, ParseOptions())
    return [engine.baseline(request)[0].tokens for request in requests_of(target, printed_page)]


@pytest.fixture(scope="module", params=["eager", "graphed"])
def target(request, lively_qwen):
    where, graphs = {"eager": ("openreg:1", "off"), "graphed": ("openreg:0", "cuda")}[request.param]
    options = ParseOptions(model=str(lively_qwen), dtype="float32", device=where, graphs=graphs)
    return load_target(options).target


def half_wrong(tokens):
    return tuple(token if at % 7 else 0 for at, token in enumerate(tokens))


@pytest.mark.parametrize("align", ALIGNS)
def test_the_output_is_the_targets_own_and_steps_wait_no_more_than_they_must(
    device, target, plain, heads, printed_page, align
):
    name, _, relaxed = align.partition(" ")
    kind, _, which = name.partition("head:")
    name = f"{kind}head:{heads[which]}" if which else name
    engine = make_engine(target, ParseOptions(align=name, tau=1.0 if relaxed else None))
    requests = requests_of(target, printed_page, (half_wrong(plain[0]),))
    for _ in range(0 if target.steps.report.mode == "eager" else 2):  # as they are, while they are captured
        engine.speculate(requests)
    counts = []
    with device.counted():
        outputs, _ = engine.speculate(
            requests, lambda rows: counts.append((device.count(*device.DOWNLOADS), device.count(*device.UPLOADS)))
        )
    assert [output.tokens for output in outputs] == plain
    waits, copies = ALIGNS[align]
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(counts)]
    assert max(step[0] for step in steps) <= waits, device.WHERE.most_common(8)
    assert max(step[1] for step in steps) <= copies, device.WHERE.most_common(8)


@pytest.mark.parametrize(
    "align", ["model:{}", "cursor+model:{},keep=0.5", "parallel:{}", "cursor+parallel:{},keep=0.5"]
)
def test_another_model_drafts_beside_the_target(target, plain, lively_qwen, printed_page, align):
    engine = make_engine(target, ParseOptions(align=align.format(lively_qwen)))
    requests = requests_of(target, printed_page, (half_wrong(plain[0]),))
    outputs, _ = engine.speculate(requests, places=2)
    assert [output.tokens for output in outputs] == plain
