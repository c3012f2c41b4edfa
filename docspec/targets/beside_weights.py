"""Files of a checkpoint's folder that are not what they seem: an adapter beside the weights, and what Git LFS leaves in
the place of a file that was not fetched."""

from __future__ import annotations

from pathlib import Path

from docspec.core import ModelError

ADAPTER = "adapter_config.json"
"""The configuration of an adapter as ``peft`` saves it."""

POINTER = b"version https://git-lfs.github.com/spec/"
"""How a pointer of Git LFS begins."""

SUFFIXES = (".json", ".jinja", ".model", ".txt", ".tiktoken", ".safetensors", ".bin", ".gguf", ".py")


def check_files(directory: Path) -> None:
    """Raises :class:`docspec.core.ModelError` for a folder with an adapter, which nothing here would apply: pages would
    be read by the model as it was before it was tuned. Raises it for a pointer of Git LFS, too."""
    if (directory / ADAPTER).is_file():
        raise ModelError(
            f"{directory / ADAPTER}: adapters are not applied here; merge this one into the weights"
            " (peft: merge_and_unload, then save_pretrained into another folder), or take the file away"
        )
    for file in sorted(directory.iterdir()):
        if file.suffix in SUFFIXES and file.is_file() and file.stat().st_size < 1024:
            with file.open("rb") as stream:
                if stream.read(len(POINTER)) == POINTER:
                    raise ModelError(f"{file} is a pointer of Git LFS and not the file; run: git lfs pull")
