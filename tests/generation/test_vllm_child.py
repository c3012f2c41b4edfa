"""How a vLLM of one's own is started, and what is told of one that did not start."""

from __future__ import annotations

from pathlib import Path

import pytest

from docspec.core import ModelError
from docspec.generation.vllm import VllmServer, VllmSettings, last_error

LOG = """\
(Worker pid=9) ERROR 11-24 [multiproc_executor.py:1063] ValueError: No common block size for 16
(EngineCore pid=8) ERROR 11-24 [core.py:1510] RuntimeError: Worker failed with error 'No common block size for 16'
  File "core.py", line 90, in start
    raise RuntimeError(
RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {'EngineCore': 1}
"""


def test_messages_are_one_text_where_the_models_own_tool_begins_it_with_the_marks_of_an_image() -> None:
    said = {name: " ".join(VllmSettings(name).command(1)) for name in ("rednote-hilab/dots.ocr", "Qwen/Qwen3-VL-2B")}
    assert "--chat-template-content-format string" in said["rednote-hilab/dots.ocr"]
    assert "--chat-template-content-format" not in said["Qwen/Qwen3-VL-2B"]


def test_the_error_is_told_and_not_the_code_that_raises_it(tmp_path: Path) -> None:
    log = tmp_path / "vllm.log"
    log.write_text(LOG)
    assert last_error(log).endswith("RuntimeError: Worker failed with error 'No common block size for 16'")


def test_a_log_without_an_error_is_told_by_its_last_line(tmp_path: Path) -> None:
    log = tmp_path / "vllm.log"
    log.write_text("loading\nKilled\n\n")
    assert last_error(log) == "Killed"
    log.write_text("")
    assert last_error(log) == "it said nothing"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("adapter_config.json", '{"peft_type": "LORA"}', "merge_and_unload"),
        ("tokenizer.json", "version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
    ],
)
def test_a_folder_that_is_not_the_model_that_it_seems_is_refused(
    tmp_path: Path, name: str, content: str, said: str
) -> None:
    """vLLM serves the base model of an adapter's folder, and says nothing of the adapter."""
    (tmp_path / name).write_text(content)
    with pytest.raises(ModelError, match=said):
        VllmServer(VllmSettings(str(tmp_path), "/no/python/here"))
