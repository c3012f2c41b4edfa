"""``,keep=SHARE``: a drafter reads the image tokens that matter to the target, beside the target's own reading."""

from __future__ import annotations

import threading
from functools import partial

import pytest
import torch
from docspec_methods import draft_model
from docspec_methods.draft_model import DraftModel
from docspec_methods.loading import shared

from docspec.core import UsageError
from docspec.targets.prefill import most_changed
from tests.proposing.decoding import PATIENCE, decoded

NEW_TOKENS = 28

decode = partial(decoded, tokens=NEW_TOKENS)


@pytest.fixture(autouse=True)
def always_sure(monkeypatch):
    """Random weights are never sure of anything."""
    monkeypatch.setattr(draft_model, "ENOUGH", 0.0)


@pytest.mark.parametrize(
    ("name", "places"),
    [("model:{},keep=0.3", 1), ("model:{},keep=0.3", 3), ("parallel:{},keep=0.3", 3), ("cursor+model:{},keep=0.3", 3)],
)
def test_the_output_is_the_targets_own(target, other, prompts, plain, half_wrong, name, places):
    found, stats = decode(target, name.format(other), prompts, (half_wrong,), places)
    assert found == [tokens[: NEW_TOKENS - 4 * n] for n, tokens in enumerate(plain)]
    assert stats.drafted > stats.accepted or name.startswith("parallel")


def test_the_drafter_reads_all_text_and_the_share_of_image_tokens(target, other, prompts, monkeypatch):
    read, honest = {}, DraftModel._prefill_some

    def noted(self, prompt, cache, row):
        filled = honest(self, prompt, cache, row)
        read[prompt.length] = filled.length
        return filled

    monkeypatch.setattr(DraftModel, "_prefill_some", noted)
    decode(target, f"model:{other},keep=0.3", prompts)
    shown = [int(prompt.inputs["mm_token_type_ids"].sum()) for prompt in prompts]
    assert read == {
        prompt.length: prompt.length - images + -(-3 * images // 10)
        for prompt, images in zip(prompts, shown, strict=True)
    }


def seen(target, prompt, places):
    """Logits after the prompt, and where the output's positions begin, where nobody looks at other ``places``."""
    kept = torch.zeros(prompt.length, dtype=torch.bool)
    kept[places] = True
    mask = (kept | torch.eye(prompt.length, dtype=torch.bool)).tril().unsqueeze(0)
    whole = target.decoder.forward
    cache = target.kv.cache(1, prompt.length)
    target.decoder.forward = lambda **inputs: whole(**{**inputs, "attention_mask": target.masks(mask, cache, False)})
    try:
        filled = target.prefill_together([prompt], cache, [0])[0]
    finally:
        del target.decoder.forward
    return filled.logits, filled.length + filled.rope_delta


def test_what_is_left_out_is_as_if_nobody_looked_there(target, prompts):
    prompt = prompts[0]
    told = []
    target.prefill([prompt], target.kv.cache(1, prompt.length), [0], False, lambda *one: told.append(one))
    [(own, variation)] = told
    assert own is prompt
    image = prompt.inputs["mm_token_type_ids"][0].bool()
    assert torch.equal(image, variation.isfinite()) and bool((variation[image] > 0).all())
    for share in (1.0, 0.4):
        places = most_changed(variation, share)
        some = target.prefill_tokens(prompt, target.kv.cache(1, prompt.length), 0, places)
        logits, start = seen(target, prompt, places)
        torch.testing.assert_close(some.logits, logits, rtol=1e-4, atol=1e-4)
        assert some.length + some.rope_delta == start
    others = (~image).nonzero().flatten()  # the negative control: the image makes a difference
    assert not torch.allclose(seen(target, prompt, others)[0], logits, atol=1e-3)


@pytest.mark.parametrize("share", ["", ",keep=0.5"])
def test_the_drafter_reads_while_the_target_does(target, other, prompts, plain, monkeypatch, share):
    """Ordered by events: the target's last layer waits until the drafter has read."""
    read, honest, waited = threading.Event(), DraftModel.read, []

    def reading(self, requests):
        honest(self, requests)
        read.set()

    monkeypatch.setattr(DraftModel, "read", reading)
    hook = target.decoder.layers[-1].register_forward_pre_hook(lambda *_: waited.append(read.wait(PATIENCE)))
    try:
        found, _ = decode(target, f"parallel:{other}{share}", prompts[:1])
    finally:
        hook.remove()
    assert found == [plain[0]] and waited[0]


def test_the_share_stands_behind_the_name():
    assert shared("owner/model@main") == ("owner/model@main", 1.0)
    assert shared("owner/model,keep=0.25") == ("owner/model", 0.25)
    for wrong in ("model,keep=0", "model,keep=1.5", "model,keep=half"):
        with pytest.raises(UsageError, match="share of image tokens"):
            shared(wrong)
