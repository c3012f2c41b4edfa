"""What a checkpoint takes is reckoned by how its weights are kept, not by the precision asked for alone."""

from __future__ import annotations

import json

import pytest
import torch
from safetensors.torch import save_file

from docspec.targets.estimate import estimate


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({}, 2 * (64 * 32 + 32 * 32 + 16)),
        ({"quantization_config": {"quant_method": "fp8"}}, 2 * 64 * 32 + 32 * 32 + 2 * 16),
        ({"quantization_config": {"quant_method": "fp8", "dequantize": True}}, 2 * (64 * 32 + 32 * 32 + 16)),
    ],
)
def test_weights_that_come_in_eight_bits_stay_so(tmp_path, said, expected):
    weights = {
        "model.embed_tokens.weight": torch.zeros(64, 32, dtype=torch.bfloat16),
        "model.layers.0.mlp.up_proj.weight": torch.zeros(32, 32).to(torch.float8_e4m3fn),
        "model.layers.0.mlp.up_proj.weight_scale_inv": torch.zeros(16),
    }
    save_file(weights, tmp_path / "model.safetensors")
    (tmp_path / "config.json").write_text(json.dumps({"num_hidden_layers": 1, **said}))
    assert estimate(str(tmp_path), "bfloat16", 1).weights == expected
