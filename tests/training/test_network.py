"""The training view computes what transformers computes, and checkpoints survive the disk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from PIL import Image

from training.crops import make_crop
from training.data import collate
from training.network import Network
from training.reader import checkpoint
from training.reader import model as reader_model
from training.reader import tokenizer as tok

TOKENIZER = tok.train_tokenizer()


@pytest.mark.parametrize("size", ["tiny", "mini"])
def test_training_forward_equals_transformers_forward(size: str) -> None:
    network = Network(reader_model.build(size, seed=3), TOKENIZER).eval()
    network.spread()
    sample = make_crop(256, 96, 5, kind="paragraph")
    picture = Image.fromarray(sample.pixels).convert("RGB")
    inputs = reader_model.image_processor()(images=[picture], return_tensors="pt")
    answer = TOKENIZER(sample.text, add_special_tokens=False)["input_ids"]
    ids = torch.tensor([tok.prompt_ids(TOKENIZER, 24) + answer])
    with torch.no_grad():
        theirs = network.model(
            input_ids=ids,
            attention_mask=torch.ones_like(ids),
            mm_token_type_ids=(ids == tok.IMAGE_PAD).long(),
            **inputs,
        ).logits
        batch = collate([sample], TOKENIZER)
        hidden, _ = network.read(network.see(batch.pixels).cells, batch.ids, 3, 8)
        ours = network.logits(hidden)
    assert torch.allclose(theirs[:, -ours.shape[1] :], ours, atol=1e-4)


def test_random_checkpoint_loads_with_the_ordinary_classes(tmp_path: Path) -> None:
    checkpoint.init(tmp_path / "tiny", "tiny", seed=1)
    model, tokenizer, processor = checkpoint.load(tmp_path / "tiny")
    facts = json.loads((tmp_path / "tiny" / "docspec.json").read_text())
    assert facts["random"] is True and facts["prompt"] == ""
    inputs = processor(images=[Image.new("RGB", (64, 64), "white")], return_tensors="pt")
    assert inputs["image_grid_thw"].tolist() == [[1, 4, 4]]
    assert inputs["pixel_values"].abs().max() == 0
    ids = torch.tensor([tok.prompt_ids(tokenizer, 4)])
    output = model.generate(
        input_ids=ids,
        attention_mask=torch.ones_like(ids),
        mm_token_type_ids=(ids == tok.IMAGE_PAD).long(),
        max_new_tokens=4,
        **inputs,
    )
    assert output.shape[1] > ids.shape[1]
    assert model.generation_config.eos_token_id == tok.IM_END


def test_weights_on_disk_load_exactly_in_float32(tmp_path: Path) -> None:
    model = reader_model.build("tiny", seed=2)
    checkpoint.save(model, TOKENIZER, tmp_path)
    loaded, _, _ = checkpoint.load(tmp_path)
    for name, value in loaded.state_dict().items():
        assert torch.equal(value, model.state_dict()[name].to(torch.bfloat16).float()), name


def test_building_leaves_the_global_random_state_alone() -> None:
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    reader_model.build("tiny")
    assert torch.equal(torch.rand(3), expected)
