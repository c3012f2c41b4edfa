"""A GGUF file in a published shape with random weights, for what a larger reader costs.

``python -m benchmarks.serving.random_gguf FILE --source SDIST`` writes ``FILE`` and its tower: a text decoder as
Qwen3-0.6B's is published (28 layers of 1,024, which LightOnOCR's is, too) with the bundled reader's tower, tokens and
prompts. ``SDIST`` is llama-cpp-python's source. It writes no words of a page.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from pathlib import Path

import torch
from transformers import AutoConfig, Qwen3VLForConditionalGeneration

from docspec.generation.llama.convert import convert
from docspec.targets.registry import BUNDLED

SHAPE = {
    "hidden_size": 1024,
    "intermediate_size": 3072,
    "num_hidden_layers": 28,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "head_dim": 128,
}
SECTIONS = [24, 20, 20]
SPREAD = 0.06
"""Standard deviation of the weights: less of it writes one token again and again."""


def checkpoint(folder: Path) -> None:
    """Writes the checkpoint with random weights."""
    shutil.copytree(BUNDLED, folder, ignore=shutil.ignore_patterns("*.safetensors"))
    values = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    values["text_config"] |= SHAPE | {"initializer_range": SPREAD}
    values["text_config"]["rope_parameters"]["mrope_section"] = SECTIONS
    values["vision_config"]["out_hidden_size"] = SHAPE["hidden_size"]
    (folder / "config.json").write_text(json.dumps(values), encoding="utf-8")
    torch.manual_seed(0)
    config = AutoConfig.from_pretrained(folder)
    config.dtype = torch.bfloat16
    model = Qwen3VLForConditionalGeneration(config).to(torch.bfloat16)
    model.save_pretrained(folder)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("file", type=Path)
    words.add_argument("--source", type=Path, required=True, metavar="SDIST")
    words.add_argument("--type", default="q8_0")
    given = words.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        checkpoint(Path(folder) / "random")
        convert(Path(folder) / "random", given.file, given.type, given.source)
    print(given.file)


if __name__ == "__main__":
    main()
