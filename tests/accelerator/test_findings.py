"""Faults of the accelerator path that the simulated device has shown, each by what it would do to a run."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from docspec.core import ParseOptions
from docspec.core.memory import release_memory
from docspec.engine.request import Request
from docspec.hierarchy.decoding import make_engine
from docspec.targets.attention import additive_mask, folded_mask
from docspec.targets.patch_embedding import embed_by_products
from docspec.targets.registry import load_target
from docspec.targets.stepping.bucketed import BucketedSteps
from docspec.targets.stepping.captures import Compiled
from docspec.targets.stepping.choice import FirstThatWorks
from docspec.targets.stepping.eager import EagerSteps
from docspec.targets.stepping.step import chain
from tests.targets.families import deepseek_ocr, qwen3_vl, unlimited_ocr
from tests.targets.families.checkpoint import write
from tests.targets.families.test_families import printed


def loaded(path, **said):
    settings = {"device": "openreg:0", "dtype": "float32", "graphs": "cuda", **said}
    return load_target(ParseOptions(model=str(path), **settings)).target


def test_a_captured_step_sees_the_prompts_of_the_cache_it_runs_over(device, tmp_path):
    """Layers of Unlimited-OCR see all of their row's prompt: how long it is belongs to a cache, not to a capture."""
    path = write(unlimited_ocr.CASE, tmp_path / "unlimited")
    plain, graphed = loaded(path, graphs="off"), loaded(path)
    sizes = (160, 96), (48, 64)
    written = []
    for target in (plain, graphed):
        engine = make_engine(target, ParseOptions())
        requests = [Request(target.encode(printed(*size), "Read."), (), 40) for size in sizes]
        several = [engine.speculate(requests)[0] for _ in range(2)]
        alone = [engine.speculate([request])[0] for request in reversed(requests)]
        written.append([[output.tokens for output in outputs] for outputs in (*several, *alone)])
    assert graphed.steps.report.mode == "cuda" and graphed.steps.report.captured
    assert written[0] == written[1]


def test_experts_are_not_waited_for_one_by_one(device, tmp_path):
    target = loaded(write(deepseek_ocr.CASE, tmp_path / "deepseek"))
    cache, step = target.kv.cache(1, 600), chain(1, 8, 10, 18)
    for _ in range(3):
        target.steps.run(step, cache)
    assert target.steps.report.mode == "cuda", target.steps.report.reason
    with device.counted() as seen:
        target.steps.run(step, cache)
    assert not seen["wait"]


def test_a_failed_capture_leaves_the_process_as_it_was(device, lively_qwen, monkeypatch):
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
    for _ in range(2):
        answer = target.steps.run(step, cache)
    assert "cuda failed" in target.steps.report.reason and "not permitted" in target.steps.report.reason
    assert torch.get_device_module("openreg").current_stream() is usual
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


def test_captures_of_calibration_outlive_the_first_page(device, lively_qwen):
    """The storage is as large as pages need before anything is captured over it."""
    from docspec.hierarchy.calibration import calibrate
    from docspec.hierarchy.costs import Costs

    target = loaded(lively_qwen, max_tokens=2000)
    calibrate(target, Costs())
    captured = target.steps.report.captured
    cache = target.kv.cache(*target.steps.geometry(1, 4000))
    target.steps.run(chain(1, 1, 1024, 1025), cache)
    assert captured and target.steps.report.held == captured


def test_compiled_steps_are_not_compiled_again_over_other_caches(lively_qwen):
    """Every bucket is an entry of one function, of which torch keeps few; a replay over another cache is no new one."""
    target = loaded(lively_qwen, device="cpu", graphs="off")
    steps = BucketedSteps(target, Compiled(backend="eager"))
    plain = EagerSteps(target)
    target.kv.reserve(2000)
    with torch._dynamo.config.patch(recompile_limit=2, fail_on_recompile_limit_hit=True):
        for slots in (600, 700):
            cache = target.kv.cache(1, slots)
            for width in (1, 8, 16):
                step = chain(1, width, 300, 400)
                for _ in range(3):
                    assert steps.run(step, cache) == plain.run(step, cache)
    assert steps.report.captured == 3


def test_compiling_on_a_cpu_is_not_given_up_for_what_padding_holds(lively_qwen):
    """Trees that are packed leave zeros where others leave whatever padding gives; neither is an answer."""
    target = loaded(lively_qwen, device="cpu", graphs="off")
    cache = target.kv.cache(4, 600)
    steps = FirstThatWorks(
        target, [lambda t, why: BucketedSteps(t, Compiled(backend="eager"), why), EagerSteps]
    )
    step = chain(4, 16, 100, 116)
    step.slots[1:, 3:] = cache.padding_slot
    for _ in range(2):
        steps.run(step, cache)
    assert steps.report.mode == "compile", steps.report.reason


@pytest.mark.parametrize("align", ["cursor+model:{}", "cursor+model:{},keep=0.5", "cursor+parallel:{},keep=0.5"])
def test_models_that_draft_do_so_on_any_device(device, lively_qwen, align):
    """Opening one that leaves image tokens out once handed indices of the CPU to the device."""
    from docspec.proposing.registry import open_named

    target = loaded(lively_qwen, device="openreg:1", graphs="off")
    open_named(align.format(lively_qwen), target)


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


def test_a_prompt_is_not_waited_for_in_every_layer(device, tmp_path):
    """Where images end is known on the host: towers once asked for it three times a layer, positions seven times."""
    target = loaded(write(qwen3_vl.CASE, tmp_path / "qwen"), graphs="off")
    prompt = target.encode(printed(160, 96), "Read.")
    cache = target.kv.cache(1, prompt.length)
    target.prefill([prompt], cache, [0])
    with device.counted():
        target.prefill([prompt], cache, [0])
    waits = device.count(*device.DOWNLOADS)
    assert waits <= 8, [place for place in device.WHERE.most_common() if place[0][0] in device.DOWNLOADS]


def test_a_drafter_beside_the_target_has_a_stream_of_its_own(device, lively_qwen, monkeypatch):
    from docspec.proposing.draft_model import DraftModel

    streams, honest = set(), DraftModel.draft

    def watched(self, *given):
        streams.add(device.current_stream())
        return honest(self, *given)

    monkeypatch.setattr(DraftModel, "draft", watched)
    target = loaded(lively_qwen, graphs="off")
    for align, beside in ((f"parallel:{lively_qwen}", True), (f"model:{lively_qwen}", False)):
        streams.clear()
        request = Request(target.encode(printed(160, 96), "Read."), (), 24)
        make_engine(target, ParseOptions(align=align)).speculate([request])
        assert streams and (device._usual not in streams) is beside


def test_masks_are_as_long_as_kernels_ask_for(device):
    seen = torch.ones(1, 1, 3, 37, dtype=torch.bool, device="openreg").tril()
    for mask, tokens in ((additive_mask(seen, torch.bfloat16), 3), (folded_mask(seen, 2, torch.bfloat16), 6)):
        assert mask.shape == (1, 1, tokens, 37)
        assert all(stride % 16 == 0 for stride in mask.stride()[:-1]) and mask.storage_offset() == 0
        assert torch.equal(mask[..., :3, :].cpu(), additive_mask(seen.cpu(), torch.bfloat16))


def test_patches_are_products_on_every_device(device):
    module = torch.nn.Conv3d(3, 8, (2, 4, 4), stride=(2, 4, 4))
    patches = torch.randn(5, 3, 2, 4, 4)
    expected = module(patches)
    module = module.to("openreg")
    assert embed_by_products(module) == 1
    torch.testing.assert_close(module(patches.to("openreg")).cpu(), expected)


def test_margins_are_known_on_every_device(lively_qwen):
    target = loaded(lively_qwen)
    engine = make_engine(target, ParseOptions())
    _, stats = engine.speculate([Request(target.encode(printed(160, 96), "Read."), (), 12)])
    assert stats.smallest_margin is not None


def test_attention_apart_can_be_captured(device, lively_qwen):
    target = loaded(lively_qwen, attention="split")
    plain = loaded(lively_qwen, graphs="off")
    engines = [make_engine(one, ParseOptions()) for one in (target, plain)]
    written = []
    for engine, one in zip(engines, (target, plain), strict=True):
        prompt = one.encode(printed(160, 96), "Read.")
        expected = engine.baseline(Request(prompt, (), 40))[0].tokens
        drafts = (tuple(token if at % 4 else 0 for at, token in enumerate(expected)),)
        written += [engine.speculate([Request(prompt, drafts, 40)])[0][0].tokens for _ in range(3)]
        assert set(written) == {expected}
    assert target.steps.report.mode == "cuda" and target.steps.report.captured > 1
