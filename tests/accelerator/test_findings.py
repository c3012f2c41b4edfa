"""Faults of the accelerator path that the simulated device has shown, each by what it would do to a run.

Where the way it was can be put back in a line or two, it is, as the negative control.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch._dynamo.exc import FailOnRecompileLimitHit
from transformers import PreTrainedModel

from docspec.core import ParseOptions
from docspec.core.errors import release_memory
from docspec.engine.request import Request
from docspec.generation.local import make_decoder
from docspec.hierarchy import calibration
from docspec.hierarchy.planner import Costs
from docspec.targets import adapter
from docspec.targets.attention import additive_mask, choose_kernels, folded_mask
from docspec.targets.deepseek_ocr import DeepseekOcrForCausalLM
from docspec.targets.faster_modules import embed_by_products
from docspec.targets.kv_arena import KVArena
from docspec.targets.registry import load_target
from docspec.targets.staging import Staging
from docspec.targets.stepping import captures
from docspec.targets.stepping.bucketed import BucketedSteps, GraphKey, StaticStep
from docspec.targets.stepping.captures import Compiled
from docspec.targets.stepping.choice import FirstThatWorks
from docspec.targets.stepping.eager import EagerSteps
from docspec.targets.stepping.step import PendingToken, chain
from tests.exactness.checkpoints import printed
from tests.targets.families import deepseek_ocr, qwen3_vl, unlimited_ocr
from tests.targets.families.checkpoint import write


def loaded(path, **said):
    settings = {"device": "openreg:0", "dtype": "float32", "graphs": "cuda", **said}
    return load_target(ParseOptions(model=str(path), **settings)).target


def worded(step):
    """``step`` with different tokens: the first one's embedding is zero, and so were all logits."""
    return replace(step, tokens=3 + np.arange(step.tokens.size).reshape(step.tokens.shape))


@pytest.mark.parametrize("old", [False, True])
def test_a_captured_step_sees_the_prompts_of_the_cache_it_runs_over(device, tmp_path, old, monkeypatch):
    """Layers of Unlimited-OCR see all of their row's prompt: how long it is belongs to a cache, not to a capture."""
    path = write(unlimited_ocr.CASE, tmp_path / "unlimited")
    if old:
        load, prompts = StaticStep.load, {}

        def those_of_the_first_cache(self, step, cache):
            honest = cache.prompts
            cache.prompts = prompts.setdefault(self, honest.clone())
            load(self, step, cache)
            cache.prompts = honest

        monkeypatch.setattr(StaticStep, "load", those_of_the_first_cache)
    plain, graphed = loaded(path, graphs="off"), loaded(path)
    asked = "Read all that is printed on this page, line after line.", "Read."
    written = []
    for target in (plain, graphed):
        engine = make_decoder(target, ParseOptions())
        requests = [Request(target.encode(printed(160, 96), one), (), 30) for one in asked]
        several = [engine.speculate(requests)[0] for _ in range(2)]
        alone = [engine.speculate([request])[0] for request in reversed(requests)]
        written.append([[output.tokens for output in outputs] for outputs in (*several, *alone)])
    assert graphed.steps.report.mode == "cuda" and graphed.steps.report.captured
    assert (written[0] == written[1]) is not old


@pytest.mark.parametrize("old", [False, True])
def test_experts_are_not_waited_for_one_by_one(device, tmp_path, old, monkeypatch):
    if old:  # the loop over experts, which transformers takes where no class of the model can do otherwise
        for each in (DeepseekOcrForCausalLM, PreTrainedModel):
            monkeypatch.setattr(each, "_can_set_experts_implementation", classmethod(lambda cls: False))
    target = loaded(write(deepseek_ocr.CASE, tmp_path / "deepseek"))
    cache, step = target.kv.cache(1, 600), chain(1, 8, 10, 18)
    for _ in range(3):
        target.steps.run(step, cache)
    assert (target.steps.report.mode == "cuda") is not old, target.steps.report.reason
    with device.counted() as seen:
        target.steps.run(step, cache)
    assert bool(seen["wait"]) is old


@pytest.mark.parametrize("old", [False, True])
def test_a_failed_capture_leaves_the_process_as_it_was(device, lively_qwen, monkeypatch, old):
    """The stream is the usual one, memory can be given back, and the page is read by steps as they come."""
    target = loaded(lively_qwen)
    cache, step = target.kv.cache(1, 600), chain(1, 8, 10, 18)
    honest = type(target).logits
    usual = torch.get_device_module("openreg").current_stream()

    def waiting(self, hidden):
        found = honest(self, hidden)
        float(found.sum())
        return found

    monkeypatch.setattr(type(target), "logits", waiting)
    if old:
        monkeypatch.setattr(captures, "_abandon", lambda device, pool: None)
    for _ in range(2):
        answer = target.steps.run(step, cache)
    assert "cuda failed" in target.steps.report.reason and "not permitted" in target.steps.report.reason
    assert torch.get_device_module("openreg").current_stream() is usual
    assert device.CUDAGraph.is_awaited is old, "random numbers wait for the end of the capture"
    if old:
        with pytest.raises(RuntimeError, match="INTERNAL ASSERT"):
            release_memory()
        for pool in list(device._capturing_to):
            device.end_allocate_to_pool(0, pool)
    release_memory()
    assert answer == EagerSteps(target).run(step, cache)


def test_shapes_are_captured_once_whatever_cache_they_are_used_over(device, lively_qwen):
    """Caches of one row share their captures, however long they are, and a shape used once is not captured at all."""
    target = loaded(lively_qwen)
    for slots in (500, 700, 900, 1100):
        cache = target.kv.cache(1, slots)
        target.steps.run(chain(1, 8, 10, 18), cache)
    assert target.steps.report.captured == 1
    target.steps.run(chain(1, 60, 10, 70), cache)
    assert target.steps.report.captured == 1
    before = device.Stream.made
    for width in (1, 10, 20, 40):
        for _ in range(2):
            target.steps.run(chain(1, width, 10, 70), cache)
    assert target.steps.report.captured == 5
    assert device.Stream.made == before, "one stream for all captures"


def test_shapes_that_go_by_slots_would_be_captured_for_every_cache(device, lively_qwen, monkeypatch):
    """Negative control."""
    honest = GraphKey.holding.__func__
    old = classmethod(lambda cls, step, cache: replace(honest(cls, step, cache), stride=cache.slots))
    monkeypatch.setattr(GraphKey, "holding", old)
    target = loaded(lively_qwen)
    for slots in (500, 700, 900, 1100):
        cache = target.kv.cache(1, slots)
        for _ in range(2):
            target.steps.run(chain(1, 8, 10, 18), cache)
    assert target.steps.report.captured == 4


@pytest.mark.parametrize("old", [False, True])
def test_captures_of_calibration_outlive_the_first_page(device, lively_qwen, old, monkeypatch):
    """The storage is as large as pages need before anything is captured over it."""
    if old:
        monkeypatch.setattr(KVArena, "reserve", lambda self, slots: None)
    target = loaded(lively_qwen, max_tokens=2000)
    calibration.calibrate(target, Costs())
    captured = target.steps.report.captured
    cache = target.kv.cache(*target.steps.geometry(1, 8000))
    target.steps.run(chain(1, 1, 1024, 1025), cache)
    assert captured and (target.steps.report.held == captured) is not old


@pytest.mark.parametrize("old", [False, True])
def test_compiled_steps_are_not_compiled_again_over_other_caches(lively_qwen, old, monkeypatch):
    """Every bucket is an entry of one function, of which torch keeps few; a replay over another cache is no new one."""

    def within_torchs_limit(self, step):
        step.compute()
        return torch.compile(step.compute, backend="eager", fullgraph=True, dynamic=False)

    if old:
        monkeypatch.setattr(Compiled, "capture", within_torchs_limit)
    torch._dynamo.reset()  # what tests before have compiled counts, too
    target = loaded(lively_qwen, device="cpu", graphs="off")
    steps = BucketedSteps(target, Compiled(backend="eager"))
    plain = EagerSteps(target)
    target.kv.reserve(2000)
    limits = {"recompile_limit": 1, "accumulated_recompile_limit": 1, "fail_on_recompile_limit_hit": True}
    with torch._dynamo.config.patch(limits), pytest.raises(FailOnRecompileLimitHit) if old else nullcontext():
        for slots in (600, 700):
            cache = target.kv.cache(1, slots)
            for width in (1, 8):
                step = chain(1, width, 300, 400)
                for _ in range(3):
                    assert steps.run(step, cache) == plain.run(step, cache)
    assert steps.report.captured == 2


@pytest.mark.parametrize("old", [False, True])
def test_compiling_on_a_cpu_is_not_given_up_for_what_padding_holds(lively_qwen, old, monkeypatch):
    """Trees that are packed leave zeros where others leave whatever padding gives; neither is an answer."""
    honest = captures.check

    def of_all(step, expected):
        step.real[:] = True
        honest(step, expected)

    if old:
        monkeypatch.setattr(captures, "check", of_all)
    target = loaded(lively_qwen, device="cpu", graphs="off")
    cache = target.kv.cache(4, 600)
    steps = FirstThatWorks(target, [lambda t, why: BucketedSteps(t, Compiled(backend="eager"), why), EagerSteps])
    step = worded(chain(4, 16, 100, 116))
    step.slots[1:, 3:] = cache.padding_slot
    for _ in range(2):
        steps.run(step, cache)
    assert (steps.report.mode == "compile") is not old, steps.report.reason


@pytest.mark.parametrize("align", ["cursor+model:{}", "cursor+model:{},keep=0.5", "cursor+parallel:{},keep=0.5"])
def test_models_that_draft_do_so_on_any_device(device, lively_qwen, align):
    """Opening one that leaves image tokens out once handed indices of the CPU to the device."""
    from docspec.proposing.registry import open_named

    target = loaded(lively_qwen, device="openreg:1", graphs="off")
    open_named(align.format(lively_qwen), target)


def test_indices_of_the_cpu_would_not_be_taken(device, lively_qwen):
    """Negative control."""
    target = loaded(lively_qwen, device="openreg:1", graphs="off")
    prompt = target.encode(printed(64, 64), "Read.")
    cache = target.kv.cache(1, prompt.length)
    with pytest.raises(RuntimeError, match="same device"):
        target.prefill_tokens(prompt, cache, 0, torch.arange(prompt.length))


def test_copies_of_their_own_would_be_counted(device, lively_qwen, monkeypatch):
    """Negative control: each of a step's arrays brought by itself, from memory that is not pinned."""
    target = loaded(lively_qwen, graphs="off")
    there = target.kv_spec.device
    monkeypatch.setattr(Staging, "put", lambda self, arrays: [torch.from_numpy(one).to(there) for one in arrays])
    with device.counted() as seen:
        target.steps.run(chain(1, 8, 10, 18), target.kv.cache(1, 600))
    assert seen["blocking upload"] > 4


def test_rules_travel_with_the_step(device, lively_qwen):
    """Whatever they forbid, a step waits once and uploads no more for them."""
    from docspec.targets.rules import GenerationRules, NgramBan

    for graphs in ("off", "cuda"):
        target = loaded(lively_qwen, graphs=graphs)
        vocab = target.model.config.get_text_config().vocab_size
        target.rules = GenerationRules(
            repetition_penalty=1.2, sequence_bias=(((5,), 1.0), ((3, 7), -2.0)), ngrams=(NgramBan(2),),
            bad_words=((9,), (8, 1)), suppress=(4,), begin_suppress=(6,), min_new_tokens=3, eos=(2,), vocab=vocab,
        )  # fmt: skip
        cache = target.kv.cache(2, 600)
        rules = [target.rules.begin([3, 7, 11], [5, 3], 50) for _ in range(2)]
        step = replace(chain(2, 8, 10, 18), rules=tuple(rules))
        for _ in range(3):
            answer = target.steps.run(step, cache)
        with device.counted() as seen:
            again = target.steps.run(step, cache)
        assert answer == again
        assert device.count(*device.DOWNLOADS) == 1, seen
        assert device.count(*device.UPLOADS) == 1, seen


@pytest.mark.parametrize("old", [False, True])
def test_a_prompt_is_not_waited_for_in_every_layer(device, tmp_path, old, monkeypatch):
    """Where images end is known on the host: towers once asked for it three times a layer, positions seven times."""
    if old:
        monkeypatch.setattr(adapter, "grids_on_host", lambda model: frozenset())
    target = loaded(write(qwen3_vl.CASE, tmp_path / "qwen"), graphs="off")
    prompt = target.encode(printed(160, 96), "Read.")
    cache = target.kv.cache(1, prompt.length)
    target.prefill([prompt], cache, [0])
    with device.counted():
        target.prefill([prompt], cache, [0])
    waits = device.count(*device.DOWNLOADS)
    told = [place for place in device.WHERE.most_common() if place[0][0] in device.DOWNLOADS]
    assert (waits <= 8) is not old, told


def test_a_drafter_beside_the_target_has_a_stream_of_its_own(device, lively_qwen, monkeypatch):
    from docspec_methods.draft_model import DraftModel

    streams, honest = set(), DraftModel.draft

    def watched(self, *given):
        streams.add(device.current_stream())
        return honest(self, *given)

    monkeypatch.setattr(DraftModel, "draft", watched)
    target = loaded(lively_qwen, graphs="off")
    for align, beside in ((f"parallel:{lively_qwen}", True), (f"model:{lively_qwen}", False)):
        streams.clear()
        request = Request(target.encode(printed(160, 96), "Read."), (), 24)
        make_decoder(target, ParseOptions(align=align)).speculate([request])
        assert streams and (device._usual not in streams) is beside


def test_masks_are_as_long_as_kernels_ask_for(device):
    seen = torch.ones(1, 1, 3, 37, dtype=torch.bool, device="openreg").tril()
    for mask, tokens in ((additive_mask(seen, torch.bfloat16), 3), (folded_mask(seen, 2, torch.bfloat16), 6)):
        assert mask.shape == (1, 1, tokens, 37)
        assert all(stride % 16 == 0 for stride in mask.stride()[:-1]) and mask.storage_offset() == 0
        assert torch.equal(mask[..., :3, :].cpu(), additive_mask(seen.cpu(), torch.bfloat16))


@pytest.mark.parametrize(("kind", "left_out"), [("cuda:1", True), ("cpu", False), ("openreg:0", False)])
def test_cudnns_attention_is_left_out_on_cuda_by_name(kind, left_out):
    before = torch.backends.cuda.cudnn_sdp_enabled()
    try:
        torch.backends.cuda.enable_cudnn_sdp(True)
        choose_kernels(torch.device(kind))
        assert torch.backends.cuda.cudnn_sdp_enabled() is not left_out
    finally:
        torch.backends.cuda.enable_cudnn_sdp(before)


def test_kernels_are_chosen_for_the_device_of_the_weights(device, lively_qwen, monkeypatch):
    chosen = []
    monkeypatch.setattr(adapter, "choose_kernels", chosen.append)
    loaded(lively_qwen, device="openreg:1", graphs="off")
    assert chosen == [torch.device("openreg:1")]


def test_masks_of_eager_steps_are_as_long_as_kernels_ask_for(device, lively_qwen, monkeypatch):
    """A short cache is looked at whole, however many slots it has; so are the tree's rows, folded."""
    target = loaded(lively_qwen, graphs="off", dtype="bfloat16")
    seen, honest = [], target.masks
    monkeypatch.setattr(target, "masks", lambda *given: seen.append(honest(*given)) or seen[-1])
    cache = target.kv.cache(2, 44)
    target.steps.run(chain(2, 3, 30, 45), cache)
    target.steps.run(chain(1, 1, 30, 37), cache)
    target.steps.advance(PendingToken(3, 30, 30), cache)
    assert [mask.shape[-1] for mask in seen] == [45, 37, 45]
    for mask in seen:
        assert all(stride % 16 == 0 for stride in mask.stride()[:-1]) and mask.storage_offset() == 0


def test_patches_are_products_on_every_device(device):
    module = torch.nn.Conv3d(3, 8, (2, 4, 4), stride=(2, 4, 4))
    patches = torch.randn(5, 3, 2, 4, 4)
    expected = module(patches)
    module = module.to("openreg")
    assert embed_by_products(module) == 1
    torch.testing.assert_close(module(patches.to("openreg")).cpu(), expected)


def test_margins_are_known_on_every_device(lively_qwen):
    target = loaded(lively_qwen)
    engine = make_decoder(target, ParseOptions())
    _, stats = engine.speculate([Request(target.encode(printed(160, 96), "Read."), (), 12)])
    assert stats.smallest_margin is not None
