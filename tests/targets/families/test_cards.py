"""What is written down of families: who is asked how, and how a checkpoint is known."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module

import pytest
import torch
from PIL import Image, ImageDraw
from safetensors.torch import load_file, save_file

from docspec import ParseOptions, Parser
from docspec.core import Category, ModelError, Region
from docspec.core.geometry import BBox
from docspec.dialects import make_dialect
from docspec.targets.families import families, family_of
from docspec.targets.registry import load_target
from tests.targets.families.checkpoint import write


def made(name: str, directory):
    return write(import_module(f"tests.targets.families.{name}").CASE, directory / name)


def test_families_cost_no_torch():
    code = (
        "import sys; from docspec.targets.families import families; families();"
        "print(sorted({'torch', 'transformers', 'PIL', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


@pytest.mark.parametrize("family", families().values(), ids=lambda family: family.model_types[0])
def test_every_card_makes_its_dialect_and_names_its_licence(family):
    assert family.checkpoints and all(one.licence and one.billions > 0 for one in family.checkpoints)
    for card in (family.card, *(one.card for one in family.checkpoints if one.card)):
        settings = {} if card.crop_prompts is None else {"crop_prompt": card.crop_prompts}
        dialect = make_dialect(card.dialect, **settings)
        for category in Category:
            assert isinstance(dialect.crop_prompt(Region(BBox(0, 0, 9, 9), category)), str)


@pytest.mark.parametrize(
    ("names", "begins"),
    [
        (("allenai/olmOCR-2-7B-1025-FP8", "/cache/x"), "Attached is one page"),
        (("./here", "/cache/models--nanonets--Nanonets-OCR2-3B/snapshots/1"), "Extract the text"),
        (("Qwen/Qwen2.5-VL-7B-Instruct", "/cache/x"), None),
    ],
)
def test_a_checkpoint_is_known_by_its_name_or_its_place(names, begins):
    prompt = families()["qwen2_5_vl"].card_of(*names).prompt
    assert prompt is None if begins is None else prompt.startswith(begins)


def test_chandra_writes_html_and_its_kin_markdown():
    family = families()["qwen3_vl"]
    assert family.card_of("datalab-to/chandra").dialect == "layout-html"
    assert family.card_of("Qwen/Qwen3-VL-8B-Instruct").dialect == "markdown"
    family = families()["qwen3_5"]
    assert family.card_of("datalab-to/chandra-ocr-2").dialect == "layout-html-2"
    assert family.card_of("lightonai/LightOnOCR-3-4B").prompt == ""
    assert family.card_of("Qwen/Qwen3.5-0.8B").dialect == "markdown"


def test_an_architecture_tells_where_the_type_is_shared(tmp_path):
    """LightOnOCR was published as ``mistral3``."""
    assert family_of({"model_type": "mistral3"}) is families()["mistral3"]
    path = made("lighton_ocr", tmp_path)
    config = json.loads((path / "config.json").read_text())
    said = {**config, "model_type": "mistral3", "architectures": ["LightOnOCRForConditionalGeneration"]}
    assert family_of(said) is families()["lighton_ocr"]
    (path / "config.json").write_text(json.dumps(said))
    assert load_target(ParseOptions(model=str(path))).info.parameters > 10_000


def test_a_prompt_may_be_empty_or_stand_before_the_image(tmp_path):
    target = load_target(ParseOptions(model=str(made("qwen2_5_vl", tmp_path)))).target
    image = Image.new("RGB", (64, 64), "white")

    def shown(prompt: str) -> str:
        ids = target.encode(image, prompt).inputs["input_ids"][0].tolist()
        return target.processing.tokenizer.decode(ids).replace("<|image_pad|>", "")

    frame = "<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n"
    picture = "<|vision_start|><|vision_end|>"
    assert shown("") == frame.format(picture)
    assert shown("Read.") == frame.format(f"{picture}Read.")
    assert shown("Read.{image}") == frame.format(f"Read.{picture}")


def test_pictures_are_shown_no_larger_than_the_published_tool_shows_them(tmp_path):
    path = made("qwen2_5_vl", tmp_path)
    target = load_target(ParseOptions(model=str(path))).target
    image = Image.effect_noise((160, 96), 90).convert("RGB")
    (path / "docspec.json").write_text('{"dialect": "markdown", "longest_px": 80}')
    smaller = load_target(ParseOptions(model=str(path))).target
    tokens = [int(one.encode(image, "Read.").inputs["image_grid_thw"].prod()) // 4 for one in (target, smaller)]
    assert tokens == [10 * 6, 5 * 3]


def test_layers_that_predict_ahead_are_left_out_by_name(tmp_path):
    """GLM-OCR's, as vLLM's pull request 49869 names them."""
    path = made("glm_ocr", tmp_path)
    weights = load_file(path / "model.safetensors")
    extra = {f"model.language_model.layers.2.{name}.weight": torch.zeros(2) for name in ("enorm", "eh_proj")}
    save_file(weights | extra, path / "model.safetensors", metadata={"format": "pt"})
    assert set(load_target(ParseOptions(model=str(path))).info.left_out) <= set(extra)


def test_a_missing_rope_delta_and_an_unknown_input_per_token_are_errors(tmp_path):
    target = load_target(ParseOptions(model=str(made("paddleocr_vl", tmp_path)))).target
    prompt = target.encode(Image.new("RGB", (64, 64), "white"), "Read.")
    with pytest.raises(ModelError, match="token_weights has one entry a token"):
        target._joined([{**prompt.inputs, "token_weights": torch.ones_like(prompt.inputs["input_ids"])}], prompt.length)
    target.model.model.rope_deltas = None
    with pytest.raises(ModelError, match="left no rope_deltas"):
        target._rope_delta()


def test_a_page_is_read_by_regions_with_the_prompts_of_their_kinds(tmp_path, monkeypatch):
    """PaddleOCR-VL, whose tables are OTSL: what is asked, and that plain decoding writes the same."""
    from docspec.targets.adapter import TransformersTarget

    path = made("paddleocr_vl", tmp_path)
    page = Image.new("RGB", (320, 240), "white")
    for y in (20, 36, 52, 140, 156):
        ImageDraw.Draw(page).text((20, y), "Some words of print on a line", fill="black")
    page.save(tmp_path / "page.png")
    asked = []
    honest = TransformersTarget.encode_all
    monkeypatch.setattr(
        TransformersTarget,
        "encode_all",
        lambda self, shown: asked.extend(prompt for _, prompt in shown) or honest(self, shown),
    )
    options = ParseOptions(model=str(path), dtype="float32", max_tokens=24, drafter="none", baseline=True)
    with Parser(options) as parser:
        [result] = parser.pages(tmp_path / "page.png")
    assert result.status == "ok" and result.baseline.identical
    assert any(event.kind == "read_by_regions" for event in result.events)
    assert set(asked) <= {"OCR:", "Table Recognition:", "Formula Recognition:", "Chart Recognition:"}
    assert "OCR:" in asked
