"""Everything that proposes does so on an accelerator: the output is the target's own, and what waits is bounded."""

from __future__ import annotations

import threading
from dataclasses import replace
from itertools import cycle, pairwise

import pytest
import torch
from docspec_methods.draft_model import FURTHER, MOST, DraftModel
from docspec_methods.head_memory import HeadMemory
from docspec_methods.head_network import Head, HeadConfig, save
from docspec_methods.head_tree import HeadProposer

from docspec.core import ParseOptions
from docspec.engine.request import Request
from docspec.generation.local import make_decoder
from docspec.proposing.mixture import MixedProposer
from docspec.proposing.proposer import proposers
from docspec.proposing.registry import CURSOR, METHODS
from docspec.targets.adapter import TransformersTarget
from docspec.targets.registry import load_target
from docspec.targets.rules import GenerationRules, NgramBan

TOKENS = 15
WAITS, COPIES = 1, 2
"""How often a step may wait, and copy to the device."""

ALIGNS = ("window", "cursor", *CURSOR, "cursor+head:hivis", "head:vispec", "head:hivis+head:vispec", "head:hivis tau")


def test_everything_that_proposes_is_here():
    ours = {name for name, make in proposers.items() if make.args[0].__module__.startswith("docspec")}
    assert ours == {*CURSOR, "window"} and set(METHODS) == {"head", "model", "parallel"}


@pytest.fixture(scope="module")
def heads(cpu, tmp_path_factory):
    """Directories of two heads that nobody has taught."""
    size = cpu.decoder.config.hidden_size
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
def cpu(lively_qwen):
    return load_target(ParseOptions(model=str(lively_qwen), dtype="float32", device="cpu")).target


@pytest.fixture(scope="module")
def plain(cpu, printed_page):
    engine = make_decoder(cpu, ParseOptions())
    return [engine.baseline(request)[0].tokens for request in requests_of(cpu, printed_page)]


@pytest.fixture(scope="module", params=["eager", "graphed"])
def target(request, lively_qwen):
    where, graphs = {"eager": ("openreg:1", "off"), "graphed": ("openreg:0", "cuda")}[request.param]
    options = ParseOptions(model=str(lively_qwen), dtype="float32", device=where, graphs=graphs)
    return load_target(options).target


def half_wrong(tokens):
    return tuple(token if at % 7 else 0 for at, token in enumerate(tokens))


def named(align, heads):
    for kind, folder in heads.items():
        align = align.replace(f"head:{kind}", f"head:{folder}")
    return align


def per_step(device, engine, requests, *more):
    """What is written, and of each step but the first ``(waits, copies, *what more tells)``."""
    counts = []

    def note(rows):
        counts.append((device.count(*device.DOWNLOADS), device.count(*device.UPLOADS), *(one() for one in more)))

    with device.counted():
        outputs, stats = engine.speculate(requests, note)
    steps = [tuple(b - a for a, b in zip(*each, strict=True)) for each in pairwise(counts)]
    return [output.tokens for output in outputs], steps, stats


@pytest.mark.parametrize(
    ("target", "align"),
    # A part of the default does on the host, step by step, what it does beside the others.
    [(mode, align) for mode in ("eager", "graphed") for align in ALIGNS if mode == "graphed" or align not in CURSOR],
    indirect=["target"],
)
def test_the_output_is_the_targets_own_and_steps_wait_no_more_than_they_must(
    device, target, plain, heads, printed_page, align
):
    name, _, relaxed = named(align, heads).partition(" ")
    engine = make_decoder(target, ParseOptions(align=name, tau=1.0 if relaxed else None))
    requests = requests_of(target, printed_page, (half_wrong(plain[0]),))
    for _ in range(0 if target.steps.report.mode == "eager" else 2):  # as they are, while they are captured
        engine.speculate(requests)
    written, steps, _ = per_step(device, engine, requests)
    assert written == plain
    assert max(waits for waits, _ in steps) <= WAITS, device.WHERE.most_common(8)
    assert max(copies for _, copies in steps) <= COPIES, device.WHERE.most_common(8)


def proposals_noted(monkeypatch):
    """What is proposed from now on: a list of runs, begun by whoever asks, of steps, of the trees of their rows."""
    proposed = []
    honest = MixedProposer.propose

    def noted(self, rows, limits):
        found = honest(self, rows, limits)
        proposed[-1].append([(tree.tokens, tree.parents) for tree in found])
        return found

    monkeypatch.setattr(MixedProposer, "propose", noted)
    return proposed


@pytest.mark.parametrize("kind", ["hivis", "vispec"])
def test_heads_draft_behind_a_step_what_they_would_draft_when_asked(
    target, plain, heads, printed_page, kind, monkeypatch
):
    """Two rows at a time, so that one enters where another has ended."""
    proposed = proposals_noted(monkeypatch)
    for behind in (True, False):
        if not behind:
            monkeypatch.setattr(HeadProposer, "behind", lambda self, contexts: None)
        proposed.append([])
        engine = make_decoder(target, ParseOptions(align=f"ngrams+resumption+head:{heads[kind]}"))
        outputs, stats = engine.speculate(requests_of(target, printed_page, (half_wrong(plain[0]),)), max_rows=2)
        assert [output.tokens for output in outputs] == plain
    assert stats.accepted > 5 and max(len(tree) for step in proposed[0] for tree, _ in step) > 8
    assert proposed[0] == proposed[1]


def test_heads_do_not_draft_for_rows_that_follow_surely(device, target, heads, printed_page, monkeypatch):
    """They take in what is written; a step after the draft was left they are there again, and no step waits twice."""
    drawn = []
    honest = HeadMemory.draw
    monkeypatch.setattr(HeadMemory, "draw", lambda self, *given: drawn.append(1) or honest(self, *given))
    engine = make_decoder(target, ParseOptions(align=f"cursor+head:{heads['hivis']}", max_tree=6))
    request = Request(target.encode(printed_page, "Read."), (), 48)
    expected = engine.baseline(request)[0].tokens
    draft = tuple(0 if at == 36 else token for at, token in enumerate(expected))
    for _ in range(3):
        drawn.clear()
        written, steps, _ = per_step(device, engine, [replace(request, drafts=(draft,))], lambda: len(drawn))
    assert written == [expected]
    asked = [draws for *_, draws in steps]
    assert sum(asked) < len(asked) and asked[2:5] == [0, 0, 0] and any(asked[5:]), asked
    assert max(waits for waits, *_ in steps) == WAITS and max(copies for _, copies, _ in steps) <= COPIES


@pytest.mark.parametrize(
    ("target", "drafter"),
    [("eager", "head:hivis"), ("graphed", "head:hivis"), ("graphed", "model:lively")],
    indirect=["target"],
)
@pytest.mark.parametrize(
    "said", [{"tau": 0.2}, {"exact": "strict"}, {"skip_verification": "uniform:2", "stages": "page"}], ids=str
)
def test_what_the_host_decides_otherwise_is_taken_back(
    target, cpu, lively_qwen, heads, printed_page, said, drafter, monkeypatch
):
    """Where a step is not the exact walk's, a head or a model on a device drafts as one on a CPU."""
    monkeypatch.setattr("docspec_methods.draft_model.ENOUGH", 0.0)
    monkeypatch.setattr("docspec.proposing.threshold.FLOOR", -1.0)  # untaught heads are asked all the same
    found, name = [], named(drafter, heads).replace("lively", str(lively_qwen))
    for one in (cpu, target):
        engine = make_decoder(one, ParseOptions(align=f"ngrams+{name}", **said))
        least_margin = 0.5 if "exact" in said else 0.0
        [request, *_] = requests_of(one, printed_page)
        [output], stats = engine.speculate([replace(request, budget=24, least_margin=least_margin)])
        found.append((output.tokens, stats.steps, stats.accepted, stats.redecided, stats.unverified))
    assert found[0] == found[1]
    assert "exact" not in said or stats.redecided > 0
    assert "skip_verification" not in said or stats.unverified > 0


def test_rules_are_followed_as_on_the_cpu(device, target, cpu, heads, printed_page):
    vocab = cpu.model.config.get_text_config().vocab_size
    rules = GenerationRules(
        repetition_penalty=1.3, sequence_bias=(((5,), 1.0), ((3, 7), -2.0)), ngrams=(NgramBan(2),), suppress=(4,),
        min_new_tokens=3, eos=tuple(cpu.eos_ids), vocab=vocab,
    )  # fmt: skip
    align = ParseOptions(align=f"cursor+head:{heads['hivis']}")
    expected = [
        make_decoder(cpu, align).baseline(replace(request, rules=rules))[0].tokens
        for request in requests_of(cpu, printed_page)
    ]
    requests = requests_of(target, printed_page, (half_wrong(expected[0]),))
    engine = make_decoder(target, align)
    for _ in range(3):
        written, steps, _ = per_step(device, engine, [replace(one, rules=rules) for one in requests])
        assert written == expected
    assert max(waits for waits, _ in steps) <= WAITS and max(copies for _, copies in steps) <= COPIES


@pytest.mark.parametrize(("align", "copies"), [("model:{}", COPIES), ("cursor+model:{},keep=0.5", COPIES)])
def test_a_draft_model_drafts_behind_a_step_and_nobody_waits_for_it(
    device, target, plain, lively_qwen, printed_page, align, copies, monkeypatch
):
    monkeypatch.setattr("docspec_methods.draft_model.ENOUGH", 1e-4)
    drafted = []
    honest = DraftModel.arrived
    monkeypatch.setattr(DraftModel, "arrived", lambda self, numbers: drafted.append(1) or honest(self, numbers))
    engine = make_decoder(target, ParseOptions(align=align.format(lively_qwen)))
    requests = requests_of(target, printed_page, (half_wrong(plain[0]),))
    for _ in range(3):
        written, steps, stats = per_step(device, engine, requests, lambda: len(drafted))
        assert written == plain
    assert max(waits for waits, *_ in steps) == WAITS, device.WHERE.most_common(8)
    assert max(uploads for _, uploads, _ in steps) <= copies, device.WHERE.most_common(8)
    assert sum(own for *_, own in steps) > len(steps) / 2 and stats.accepted > len(steps)


def test_a_draft_model_drafts_behind_a_step_what_it_would_draft_token_by_token(
    target, plain, lively_qwen, printed_page, monkeypatch
):
    """Two rows at a time, so that one enters where another has ended."""
    monkeypatch.setattr("docspec_methods.draft_model.ENOUGH", 0.0)
    proposed = proposals_noted(monkeypatch)
    for at_once in (True, False):
        if not at_once:
            monkeypatch.setattr(DraftModel, "_at_once", False)
        proposed.append([])
        engine = make_decoder(target, ParseOptions(align=f"ngrams+resumption+model:{lively_qwen}"))
        outputs, stats = engine.speculate(requests_of(target, printed_page, (half_wrong(plain[0]),)), max_rows=2)
        assert [output.tokens for output in outputs] == plain
    assert stats.accepted > 5 and max(len(tree) for step in proposed[0] for tree, _ in step) > 8
    assert proposed[0] == proposed[1]


def test_as_many_tokens_are_drafted_as_were_sure_enough_and_some_more(target, lively_qwen, printed_page, monkeypatch):
    """Nobody waits to see how sure a draft is; so the next one is as long as it should have been, and grows again."""
    lengths = []
    honest = DraftModel.launch
    monkeypatch.setattr(DraftModel, "launch", lambda self, *given: lengths.append(self._ahead) or honest(self, *given))
    for enough, expected in ((2.0, {FURTHER}), (0.0, {MOST})):
        monkeypatch.setattr("docspec_methods.draft_model.ENOUGH", enough)
        lengths.clear()
        engine = make_decoder(target, ParseOptions(align=f"model:{lively_qwen}"))
        engine.speculate([Request(target.encode(printed_page, "Read."), (), 40)])
        assert set(lengths[1:]) == expected


@pytest.mark.parametrize("align", ["parallel:{}", "cursor+parallel:{},keep=0.5"])
def test_a_draft_model_beside_the_target_waits_in_its_own_thread(
    device, target, plain, lively_qwen, printed_page, align, monkeypatch
):
    """The target's thread waits once a step, and for the turn that drafted meanwhile. How long a window is depends on
    measured times, so that a size may come for the second time at any moment: such a step is captured, which waits
    once more."""
    here, passes = threading.get_ident(), []
    honest, note = TransformersTarget.hidden, device._note

    def counted(self, *given):
        if self is not target:
            passes.append(threading.get_ident())
        return honest(self, *given)

    waits = []
    monkeypatch.setattr(TransformersTarget, "hidden", counted)

    def by_thread(kind, what):
        if kind in device.DOWNLOADS:
            waits.append(threading.get_ident())
        return note(kind, what)

    monkeypatch.setattr(device, "_note", by_thread)
    engine = make_decoder(target, ParseOptions(align=align.format(lively_qwen)))
    requests = requests_of(target, printed_page, (half_wrong(plain[0]),))
    for places in (2, 3, 3):
        assert [output.tokens for output in engine.speculate(requests, max_rows=places)[0]] == plain
    windows = cycle((1, 2, 4, 8, 13, 6, 3))
    monkeypatch.setattr("docspec_methods.parallel.window_of", lambda c: next(windows))
    for _ in range(2):
        counts: list[int] = []
        outputs, _ = engine.speculate(
            requests, lambda rows, to=counts: to.append(waits.count(here) - device.CUDAGraph.captured)
        )
        assert [output.tokens for output in outputs] == plain
        assert max(b - a for a, b in pairwise(counts)) <= WAITS
    assert passes and here not in passes
