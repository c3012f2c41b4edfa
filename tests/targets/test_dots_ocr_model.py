"""dots.ocr loads under its published names, sees what a slow reference sees, decodes as full forwards do."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.torch import load_file, save_file
from torch.nn.functional import gelu, layer_norm, silu
from transformers import AttentionInterface, AttentionMaskInterface, DynamicCache
from transformers.cache_utils import Cache, CacheLayerMixin
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

from docspec.core.errors import ModelError
from docspec.targets.dots_ocr.configuration import DotsOCRConfig, DotsVisionConfig
from docspec.targets.dots_ocr.modeling import DotsOCRForCausalLM
from docspec.targets.dots_ocr.processing import DotsOCRProcessing
from docspec.targets.dots_ocr.tiny import write_tiny_dots_ocr

PUBLISHED_PARAMETERS = 3_039_179_264
"""Of rednote-hilab/dots.ocr: 6.08 GB of bfloat16 in two shards, 643 tensors."""

DECODER_LAYER = (
    "input_layernorm.weight",
    "post_attention_layernorm.weight",
    "mlp.down_proj.weight",
    "mlp.gate_proj.weight",
    "mlp.up_proj.weight",
    "self_attn.k_proj.bias",
    "self_attn.k_proj.weight",
    "self_attn.o_proj.weight",
    "self_attn.q_proj.bias",
    "self_attn.q_proj.weight",
    "self_attn.v_proj.bias",
    "self_attn.v_proj.weight",
)
VISION_BLOCK = (
    "attn.proj.weight",
    "attn.qkv.weight",
    "mlp.fc1.weight",
    "mlp.fc2.weight",
    "mlp.fc3.weight",
    "norm1.weight",
    "norm2.weight",
)
SINGLE = (
    "lm_head.weight",
    "model.embed_tokens.weight",
    "model.norm.weight",
    "vision_tower.merger.ln_q.bias",
    "vision_tower.merger.ln_q.weight",
    "vision_tower.merger.mlp.0.bias",
    "vision_tower.merger.mlp.0.weight",
    "vision_tower.merger.mlp.2.bias",
    "vision_tower.merger.mlp.2.weight",
    "vision_tower.patch_embed.patchifier.norm.weight",
    "vision_tower.patch_embed.patchifier.proj.bias",
    "vision_tower.patch_embed.patchifier.proj.weight",
    "vision_tower.post_trunk_norm.weight",
)
ATTENTION = pytest.mark.parametrize("attention", ["eager", "sdpa"])


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """On matrices this small a second thread only waits."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_dots_ocr(tmp_path_factory.mktemp("dots.ocr"))


@pytest.fixture(scope="module")
def processing(checkpoint: Path) -> DotsOCRProcessing:
    return DotsOCRProcessing.from_pretrained(checkpoint)


def load(checkpoint: Path, attention: str = "sdpa", **kwargs: Any) -> DotsOCRForCausalLM:
    kwargs.setdefault("dtype", torch.float32)
    return DotsOCRForCausalLM.from_pretrained(checkpoint, attn_implementation=attention, **kwargs).eval()


def picture(width: int, height: int, seed: int = 0) -> Image.Image:
    values = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    return Image.fromarray(values)


def published_names(decoder_layers: int, vision_blocks: int) -> set[str]:
    return {
        *SINGLE,
        *(f"model.layers.{n}.{name}" for n in range(decoder_layers) for name in DECODER_LAYER),
        *(f"vision_tower.blocks.{n}.{name}" for n in range(vision_blocks) for name in VISION_BLOCK),
    }


# The checkpoint


def test_published_size_has_the_published_names_and_parameter_count() -> None:
    with torch.device("meta"):
        model = DotsOCRForCausalLM(DotsOCRConfig())
    shapes = {name: tuple(value.shape) for name, value in model.state_dict().items()}
    assert set(shapes) == published_names(decoder_layers=28, vision_blocks=42)
    assert len(shapes) == 643
    assert sum(value.numel() for value in model.parameters()) == PUBLISHED_PARAMETERS
    assert shapes["vision_tower.patch_embed.patchifier.proj.weight"] == (1536, 3, 14, 14)
    assert shapes["vision_tower.merger.mlp.0.weight"] == (6144, 6144)
    assert shapes["model.layers.0.self_attn.k_proj.weight"] == (256, 1536)


@pytest.mark.parametrize("shards", [1, 2])
def test_a_checkpoint_in_the_published_layout_loads_with_nothing_missing_or_left_over(
    tmp_path: Path, shards: int
) -> None:
    directory = write_tiny_dots_ocr(tmp_path, seed=3, shards=shards)
    model, info = DotsOCRForCausalLM.from_pretrained(directory, output_loading_info=True)
    assert not any(info.values()), info
    assert set(model.state_dict()) == published_names(decoder_layers=2, vision_blocks=2)
    assert model.dtype == torch.bfloat16
    assert len(list(tmp_path.glob("*.safetensors"))) == shards


def test_a_parameter_under_another_name_is_reported_as_missing(tmp_path: Path) -> None:
    directory = write_tiny_dots_ocr(tmp_path)
    file = directory / "model.safetensors"
    weights = load_file(file)
    weights["vision_tower.post_norm.weight"] = weights.pop("vision_tower.post_trunk_norm.weight")
    save_file(weights, file, metadata={"format": "pt"})
    _, info = DotsOCRForCausalLM.from_pretrained(directory, output_loading_info=True)
    assert set(info["missing_keys"]) == {"vision_tower.post_trunk_norm.weight"}
    assert set(info["unexpected_keys"]) == {"vision_tower.post_norm.weight"}


def test_the_published_configuration_is_read_without_its_remote_code_keys(checkpoint: Path) -> None:
    written = json.loads((checkpoint / "config.json").read_text())
    assert "auto_map" in written and written["vision_config"]["attn_implementation"] == "flash_attention_2"
    config = DotsOCRConfig.from_pretrained(checkpoint)
    assert not hasattr(config, "auto_map")
    assert config.rope_parameters["rope_theta"] == 1_000_000
    assert isinstance(config.vision_config, DotsVisionConfig)
    assert config.vision_config.embed_dim == written["vision_config"]["embed_dim"]
    model = load(checkpoint, "eager")
    assert model.vision_tower.config._attn_implementation == "eager"
    assert model.model.config._attn_implementation == "eager"


def test_configurations_that_cannot_work_are_refused() -> None:
    with pytest.raises(ValueError, match="causal"):
        DotsVisionConfig(is_causal=True)
    with pytest.raises(ValueError, match="divisible by four"):
        DotsVisionConfig(embed_dim=36, num_attention_heads=2)
    with pytest.raises(ValueError, match="decoder's"):
        DotsOCRConfig(vision_config={"hidden_size": 1024})


def test_a_seed_names_one_checkpoint(tmp_path: Path) -> None:
    directories = [write_tiny_dots_ocr(tmp_path / str(n), seed) for n, seed in enumerate((0, 0, 1))]
    first, same, other = ((directory / "model.safetensors").read_bytes() for directory in directories)
    assert first == same != other


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


def greedy_by_full_forwards(
    model: DotsOCRForCausalLM, inputs: dict[str, torch.Tensor], tokens: int
) -> list[int]:
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


def test_logits_to_keep_projects_the_last_positions_only(
    checkpoint: Path, processing: DotsOCRProcessing
) -> None:
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


def test_inputs_that_contradict_each_other_are_refused(
    checkpoint: Path, processing: DotsOCRProcessing
) -> None:
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


# Inputs


def test_the_prompt_is_framed_as_published(processing: DotsOCRProcessing) -> None:
    inputs = processing.encode(picture(84, 112), "Read <this>.")
    text = processing.tokenizer.decode(inputs["input_ids"][0])
    message = "<|img|>" + "<|imgpad|>" * 12 + "<|endofimg|>Read <this>."
    assert text == "<|user|>" + message + "<|endofuser|><|assistant|>"
    assert inputs["pixel_values"].shape == (48, 588)
    # What vLLM does: the tokenizer's own template over the message as one string, tokenised in one go.
    messages = [{"role": "user", "content": message}]
    served = processing.tokenizer.apply_chat_template(messages, return_dict=False)
    assert inputs["input_ids"][0].tolist() == served


def test_pixels_are_those_of_the_published_image_processor(processing: DotsOCRProcessing) -> None:
    image = picture(333, 215)
    inputs = processing.encode(image, "")
    expected = processing.image_processor(images=image, return_tensors="pt")
    assert torch.equal(inputs["image_grid_thw"], expected["image_grid_thw"])
    torch.testing.assert_close(inputs["pixel_values"], expected["pixel_values"])


def test_model_size_is_the_size_in_which_boxes_are_written(processing: DotsOCRProcessing) -> None:
    assert processing.model_size(1700, 2200) == (1708, 2212)
    assert processing.model_size(20, 20) == (56, 56)
    width, height = processing.model_size(9000, 7000)
    assert width % 28 == height % 28 == 0 and 0.98 * 11_289_600 < width * height <= 11_289_600
    inputs = processing.encode(picture(150, 99), "")
    assert tuple(14 * side for side in reversed(inputs["image_grid_thw"][0, 1:].tolist())) == (
        processing.model_size(150, 99)
    )


def test_limits_of_the_image_are_the_published_ones(processing: DotsOCRProcessing) -> None:
    assert processing.pixel_limits == {"factor": 28, "min_pixels": 3136, "max_pixels": 11_289_600}


def test_a_narrow_image_keeps_its_length(processing: DotsOCRProcessing) -> None:
    assert processing.model_size(400, 10) == (392, 28)
    assert processing.encode(picture(400, 10), "")["image_grid_thw"].tolist() == [[1, 2, 28]]


@pytest.mark.parametrize("size", [(0, 50), (8040, 40)])
def test_an_image_without_area_or_of_extreme_aspect_is_refused(
    processing: DotsOCRProcessing, size: tuple[int, int]
) -> None:
    with pytest.raises(ValueError, match=f"{size[0]} x {size[1]} pixels"):
        processing.model_size(*size)


def test_an_answer_ends_at_the_published_tokens(tmp_path: Path) -> None:
    directory = write_tiny_dots_ocr(tmp_path)
    published = DotsOCRProcessing.from_pretrained(directory)
    markers = published.tokenizer.convert_tokens_to_ids(["<|endoftext|>", "<|endofassistant|>"])
    assert published.eos_ids == tuple(markers)
    (directory / "generation_config.json").write_text('{"eos_token_id": 7}')
    assert DotsOCRProcessing.from_pretrained(directory).eos_ids == (7,)
    (directory / "generation_config.json").unlink()
    assert DotsOCRProcessing.from_pretrained(directory).eos_ids == tuple(markers)


def test_a_tokenizer_without_the_markers_is_refused_by_name(tmp_path: Path) -> None:
    directory = write_tiny_dots_ocr(tmp_path)
    for file in (directory / "tokenizer.json", directory / "tokenizer_config.json"):
        file.write_text(file.read_text().replace("<|imgpad|>", "<|image_pad|>"))
    with pytest.raises(ModelError, match=re.escape("no <|imgpad|>; is this a dots.ocr checkpoint?")):
        DotsOCRProcessing.from_pretrained(directory)


def test_naming_the_package_imports_no_torch() -> None:
    code = "import sys, docspec.targets.dots_ocr; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
