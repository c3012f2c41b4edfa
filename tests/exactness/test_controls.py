"""Errors that the matrix must see, or its equality proves nothing: each is made in every family."""

from __future__ import annotations

import pytest

from docspec.core import ParseOptions
from docspec.engine.request import Request
from docspec.generation.local import make_decoder
from docspec.targets import attention
from docspec.targets.registry import load_target
from tests.exactness.checkpoints import FAMILIES, NEW_TOKENS, checkpoint, generated


@pytest.fixture(scope="module", params=FAMILIES)
def family(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def files(family, tmp_path_factory):
    return checkpoint(family, tmp_path_factory.mktemp("controls") / family)


@pytest.fixture(scope="module")
def target(files):
    return load_target(ParseOptions(model=str(files.path), dtype="float32", device="cpu")).target


@pytest.fixture(scope="module")
def prompt(target, files):
    return target.encode(files.pictures[0], "Read.")


def test_wrong_positions_or_masks_are_seen(target, prompt, monkeypatch):
    expected = generated(target, prompt)
    request = Request(prompt, (expected[:9] + expected[8:],), NEW_TOKENS)
    honest = type(target).hidden
    written = []
    for shift, open_mask in ((0, False), (5, False), (0, True)):

        def hidden(self, tokens, positions, mask, cache, shift=shift, open_mask=open_mask):
            if open_mask:
                written_to = cache.write_index.view(mask.shape[0], -1) % cache.slots
                mask = mask.clone().scatter_(
                    2, written_to.unsqueeze(1).expand(-1, mask.shape[1], -1).clamp(max=mask.shape[2] - 1), True
                )
            return honest(self, tokens, positions + shift, mask, cache)

        monkeypatch.setattr(type(target), "hidden", hidden)
        written.append(make_decoder(target, ParseOptions()).speculate([request])[0][0].tokens)
    assert written[0] == expected
    assert expected not in written[1:]


def test_pieces_that_do_not_see_those_before_them_are_seen(target, prompt, monkeypatch):
    """By their masks, and where there are none by the keys that they are given."""
    whole = target.prefill([prompt], target.kv.cache(2, prompt.length), [1])[0]
    masks, causal, read = type(target).masks, attention.causal_attention, set()

    def blind(self, mask, cache, folded=True):
        mask = mask.clone()
        mask[..., : mask.shape[2] - mask.shape[1]] = False
        read.add(mask.shape[1:])
        return masks(self, mask, cache, folded)

    def short_sighted(query, key, value, scaling=None):
        tokens = query.shape[2]
        read.add((tokens, key.shape[2]))
        return causal(query, key[:, :, -tokens:], value[:, :, -tokens:], scaling)

    monkeypatch.setattr(type(target), "masks", blind)
    monkeypatch.setattr(attention, "causal_attention", short_sighted)
    monkeypatch.setattr(target, "piece", prompt.length // 3)
    unseen = target.prefill([prompt], target.kv.cache(2, prompt.length), [1])[0]
    behind = [tokens for tokens, slots in read if slots > tokens]
    assert len(behind) >= 2 and sum(behind) == prompt.length - target.piece
    assert abs(unseen.logits - whole.logits).max() > 1e-2


def test_a_window_changes_what_is_written(tmp_path):
    written = []
    for name in ("dots_ocr", "dots_ocr_windowed"):
        files = checkpoint(name, tmp_path / name)
        target = load_target(ParseOptions(model=str(files.path), dtype="float32", device="cpu")).target
        written.append(generated(target, target.encode(files.pictures[0], "Read.")))
    assert written[0] != written[1]
