"""Code that a checkpoint brings is not run."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import docspec
from docspec.core import ParseOptions
from docspec.targets.registry import load_target

CODE = """
from pathlib import Path
Path({marker!r}).write_text("run")
from transformers import PretrainedConfig, PreTrainedModel
class Config(PretrainedConfig): model_type = "qwen3_vl"
class Model(PreTrainedModel): config_class = Config
class Processor: pass
"""


def test_code_beside_the_weights_is_not_run(lively_qwen: Path, tmp_path: Path) -> None:
    model, marker = tmp_path / "model", tmp_path / "marker"
    shutil.copytree(lively_qwen, model)
    for name in ("modeling_evil.py", "configuration_evil.py", "processing_evil.py"):
        (model / name).write_text(CODE.format(marker=str(marker)))
    classes = {
        "AutoConfig": "configuration_evil.Config",
        "AutoModel": "modeling_evil.Model",
        "AutoModelForImageTextToText": "modeling_evil.Model",
        "AutoProcessor": "processing_evil.Processor",
        "AutoImageProcessor": "processing_evil.Processor",
        "AutoTokenizer": ["processing_evil.Processor", "processing_evil.Processor"],
    }
    for file in ("config.json", "preprocessor_config.json", "tokenizer_config.json", "processor_config.json"):
        path = model / file
        if path.is_file():
            path.write_text(json.dumps({**json.loads(path.read_text()), "auto_map": classes}))
    load_target(ParseOptions(model=str(model), device="cpu", words="model"))
    assert not marker.exists()


def test_nothing_here_allows_it() -> None:
    files = Path(docspec.__file__).parent.rglob("*.py")
    allowing = re.compile(r"trust_remote_code\s*[=:]\s*(?!False)")
    assert [file.name for file in files if allowing.search(file.read_text("utf-8"))] == []
