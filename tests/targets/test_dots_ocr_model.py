"""dots.ocr sees what a slow reference sees and decodes as full forwards do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from torch.nn.functional import gelu, layer_norm, silu
from transformers import AttentionInterface, AttentionMaskInterface, DynamicCache
from transformers.cache_utils import Cache, CacheLayerMixin
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

from docspec.targets.dots_ocr.modeling import DotsOCRForCausalLM
from docspec.targets.dots_ocr.processing import DotsOCRProcessing

from .tiny_dots_ocr import load, picture

pytestmark = pytest.mark.usefixtures("one_thread")

ATTENTION = pytest.mark.parametrize("attention", ["eager", "sdpa"])


# The vision tower


def slow_features(model: DotsOCRForCausalLM, image: Image.Image) -> torch.Tensor:
    """Features of one image whose sides are multiples of 28, in float64, patch by patch and head by head."""
    config, weights = model.config.vision_config, {k: v.double() for k, v in model.state_dict().items()}
    mean, std = np.array([0.48145466, 0.4578275, 0.40821073]), np.array([0.26862954, 0.26130258, 0.27577711])
    pixels = torch.from_numpy((np.asarray(image) / 255.0 - mean) / std)  # (height, width, 3)

    def weight(name: str) -> torch.Tensor:
        return weights[f"vision_tower.{name}"]

    def rms(x: torch.Tensor, name: str) -> torch.Tensor:
        return x / (x.square().mean(-1, keepdim=True) + 1e-5).sqrt() * weight(name)

    places = [
        (2 * block_row + row, 2 * block_column + column)
        for block_row in range(image.height // 28)
        for block_column in range(image.width // 28)
        for row in range(2)
        for column in range(2)
    ]
    kernel, bias = weight("patch_embed.patchifier.proj.weight"), weight("patch_embed.patchifier.proj.bias")
    patches = []
    for row, column in places:
        patch = pixels[14 * row : 14 * row + 14, 14 * column : 14 * column + 14].permute(2, 0, 1)
        patches.append((kernel * patch).sum((1, 2, 3)) + bias)
    x = rms(torch.stack(patches), "patch_embed.patchifier.norm.weight")

    width = config.embed_dim // config.num_attention_heads
    quarter = width // 4
    speeds = [10_000.0 ** (-n / quarter) for n in range(quarter)]
    angles = torch.tensor([[r * s for s in speeds] + [c * s for s in speeds] for r, c in places]).double()
    turns = torch.polar(torch.ones_like(angles), angles)

    def turned(head: torch.Tensor) -> torch.Tensor:
        numbers = torch.complex(head[:, : width // 2], head[:, width // 2 :]) * turns
        return torch.cat((numbers.real, numbers.imag), dim=1)

    for block in (f"blocks.{n}." for n in range(config.num_hidden_layers)):
        qkv = rms(x, block + "norm1.weight") @ weight(block + "attn.qkv.weight").T
        query, key, value = qkv.chunk(3, dim=1)
        heads = []
        for start in range(0, config.embed_dim, width):
            q, k, v = (part[:, start : start + width] for part in (query, key, value))
            heads.append((turned(q) @ turned(k).T / width**0.5).softmax(-1) @ v)
        x = x + torch.cat(heads, dim=1) @ weight(block + "attn.proj.weight").T
        y = rms(x, block + "norm2.weight")
        gate, up = y @ weight(block + "mlp.fc1.weight").T, y @ weight(block + "mlp.fc3.weight").T
        x = x + (silu(gate) * up) @ weight(block + "mlp.fc2.weight").T

    x = rms(x, "post_trunk_norm.weight")
    x = layer_norm(x, x.shape[1:], weight("merger.ln_q.weight"), weight("merger.ln_q.bias"), eps=1e-6)
    x = torch.stack([torch.cat(list(x[n : n + 4])) for n in range(0, len(x), 4)])
    x = gelu(x @ weight("merger.mlp.0.weight").T + weight("merger.mlp.0.bias"))
    return x @ weight("merger.mlp.2.weight").T + weight("merger.mlp.2.bias")


@ATTENTION
def test_features_of_an_image_equal_a_slow_reference(
    checkpoint: Path, processing: DotsOCRProcessing, attention: str
) -> None:
    model = load(checkpoint, attention)
    image = picture(28 * 5, 28 * 3)
    inputs = processing.encode(image, "")
    assert inputs["image_grid_thw"].tolist() == [[1, 6, 10]]
    with torch.no_grad():
        features = model.get_image_features(inputs["pixel_values"], inputs["image_grid_thw"])
    expected = slow_features(model, image)
    assert features.shape == (15, model.config.hidden_size) == expected.shape
    torch.testing.assert_close(features.double(), expected, atol=1e-4, rtol=1e-4)


@ATTENTION
def test_images_of_different_size_in_one_batch_equal_each_alone(
    checkpoint: Path, processing: DotsOCRProcessing, attention: str
) -> None:
    model = load(checkpoint, attention)
    pages = [processing.encode(picture(*size), "") for size in [(140, 84), (56, 196), (84, 84)]]
    pixels, grids = ([page[name] for page in pages] for name in ("pixel_values", "image_grid_thw"))
    with torch.no_grad():
        alone = [model.get_image_features(*page) for page in zip(pixels, grids, strict=True)]
        together = model.get_image_features(torch.cat(pixels), torch.cat(grids))
    torch.testing.assert_close(together, torch.cat(alone), atol=1e-5, rtol=1e-5)


def test_pixels_and_grid_that_disagree_are_refused(checkpoint: Path, processing: DotsOCRProcessing) -> None:
    model = load(checkpoint)
    inputs = processing.encode(picture(84, 84), "")
    with pytest.raises(ValueError, match="36 patches"):
        model.get_image_features(inputs["pixel_values"], torch.tensor([[1, 6, 8]]))
    with pytest.raises(ValueError, match="merged 2 x 2"):
        model.get_image_features(inputs["pixel_values"], torch.tensor([[1, 9, 4]]))


# Decoding


def greedy_by_full_forwards(model: DotsOCRForCausalLM, inputs: dict[str, torch.Tensor], tokens: int) -> list[int]:
    ids = inputs["input_ids"]
    for _ in range(tokens):
        with torch.no_grad():
            logits = model(**{**inputs, "input_ids": ids}, use_cache=False).logits
        ids = torch.cat((ids, logits[:, -1:].argmax(-1)), dim=1)
        if int(ids[0, -1]) in model.generation_config.eos_token_id:
            break
    return ids[0, inputs["input_ids"].shape[1] :].tolist()


@ATTENTION
@pytest.mark.parametrize("seed", [0, 1])
def test_generate_equals_full_forwards_without_cache(
    checkpoint: Path, processing: DotsOCRProcessing, attention: str, seed: int
) -> None:
    model = load(checkpoint, attention)
    inputs = processing.encode(picture(84 + 28 * seed, 112, seed), "Please output the layout.")
    expected = greedy_by_full_forwards(model, inputs, 24)
    generated = model.generate(**inputs, max_new_tokens=24, do_sample=False)
    assert generated[0, inputs["input_ids"].shape[1] :].tolist() == expected
    assert len(set(expected)) > 10, "an answer that repeats itself proves little"


def test_what_is_written_depends_on_the_image(checkpoint: Path, processing: DotsOCRProcessing) -> None:
    model = load(checkpoint)
    pages = [processing.encode(picture(112, 112, seed), "Please output the layout.") for seed in (0, 1)]
    assert torch.equal(pages[0]["input_ids"], pages[1]["input_ids"])
    first, second = (greedy_by_full_forwards(model, page, 8) for page in pages)
    assert first != second


def test_logits_to_keep_projects_the_last_positions_only(checkpoint: Path, processing: DotsOCRProcessing) -> None:
    model = load(checkpoint)
    inputs = processing.encode(picture(84, 84), "Read.")
    with torch.no_grad():
        every, last = model(**inputs).logits, model(**inputs, logits_to_keep=1).logits
    assert every.shape[1] == inputs["input_ids"].shape[1]
    assert last.shape == (1, 1, model.config.vocab_size)
    torch.testing.assert_close(last, every[:, -1:])


class PassThroughLayer(CacheLayerMixin):
    """A cache layer that hands back what it is given: a prompt into an empty slot buffer."""

    def lazy_initialization(self, key_states: torch.Tensor, value_states: torch.Tensor) -> None:
        self.is_initialized = True

    def update(self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        return key_states, value_states

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        return query_length, 0

    def get_seq_length(self) -> int:
        return 0

    def get_max_length(self) -> int:
        return -1


def test_prefill_into_a_pass_through_cache_takes_the_plain_causal_path(
    checkpoint: Path, processing: DotsOCRProcessing
) -> None:
    masks = []

    def watched(module: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
        masks.append((type(module).__name__, args[3]))
        return sdpa_attention_forward(module, *args, **kwargs)

    AttentionInterface.register("watched_sdpa", watched)
    AttentionMaskInterface.register("watched_sdpa", sdpa_mask)
    inputs = processing.encode(picture(84, 112), "Read.")
    model = load(checkpoint)
    model.set_attn_implementation({"": "watched_sdpa", "vision_config": "sdpa"})
    cache = Cache(layers=[PassThroughLayer() for _ in range(model.config.num_hidden_layers)])
    with torch.no_grad():
        logits = model(**inputs, past_key_values=cache).logits
        expected = load(checkpoint)(**inputs, use_cache=False).logits
    assert masks == [("Qwen2Attention", None)] * model.config.num_hidden_layers
    torch.testing.assert_close(logits, expected)


@ATTENTION
def test_two_continuations_under_a_tree_mask_equal_each_alone(
    checkpoint: Path, processing: DotsOCRProcessing, attention: str
) -> None:
    model = load(checkpoint, attention)
    inputs = processing.encode(picture(84, 84), "Read.")
    length, branches = inputs["input_ids"].shape[1], [[40, 41], [50, 51]]
    with torch.no_grad():
        cache = DynamicCache(config=model.config)
        model(**inputs, past_key_values=cache, logits_to_keep=1)
        seen = torch.zeros(4, length + 4, dtype=torch.bool)
        seen[:, :length] = True
        for node, ancestors in enumerate([(0,), (0, 1), (2,), (2, 3)]):
            seen[node, [length + ancestor for ancestor in ancestors]] = True
        mask = seen if attention == "sdpa" else torch.where(seen, 0.0, torch.finfo(torch.float32).min)
        hidden = model.model(
            inputs_embeds=model.get_input_embeddings()(torch.tensor(branches).view(1, 4)),
            position_ids=torch.tensor([[length, length + 1] * 2]),
            attention_mask=mask[None, None],
            past_key_values=cache,
        ).last_hidden_state
        tree = model.lm_head(hidden)[0].split(2)
        for branch, logits in zip(branches, tree, strict=True):
            ids = torch.cat((inputs["input_ids"], torch.tensor([branch])), dim=1)
            alone = model(**{**inputs, "input_ids": ids}, logits_to_keep=2).logits[0]
            torch.testing.assert_close(logits, alone, atol=1e-4, rtol=1e-4)


def test_inputs_that_contradict_each_other_are_refused(checkpoint: Path, processing: DotsOCRProcessing) -> None:
    model = load(checkpoint)
    inputs = processing.encode(picture(84, 84), "Read.")
    pad = model.config.image_token_id
    fewer = inputs["input_ids"][inputs["input_ids"] != pad][None]
    with pytest.raises(ValueError, match="holds 0 image tokens, the images give 9"):
        model(**{**inputs, "input_ids": fewer})
    with pytest.raises(ValueError, match="image_grid_thw"):
        model(input_ids=inputs["input_ids"], pixel_values=inputs["pixel_values"])
    with pytest.raises(ValueError, match="either input_ids or inputs_embeds"):
        model(input_ids=fewer, inputs_embeds=model.get_input_embeddings()(fewer))
    with pytest.raises(ValueError, match="need input_ids"):
        model(inputs_embeds=model.get_input_embeddings()(fewer), pixel_values=inputs["pixel_values"])
    with pytest.raises(ValueError, match="one sequence per row"):
        model.generate(**inputs, max_new_tokens=2, num_beams=2)
