"""Converts a checkpoint to GGUF files with llama.cpp's own converter.

llama-cpp-python's wheels lack the converter; its source distribution contains llama.cpp's source. The converter needs
torch and transformers, as docspec's own engine does, and runs in a process of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from docspec.core import ModelError, OutputError
from docspec.core.safe_text import one_line
from docspec.generation.llama import converting
from docspec.generation.llama.library import TRIED
from docspec.generation.llama.model_files import CARD, GENERATION, MODEL_TYPE, PIXELS, RULES
from docspec.targets.validation import check_files, read_object

WeightFormat = Literal["auto", "f32", "f16", "bf16", "q8_0"]
"""Number formats that the converter writes; ``auto``: the checkpoint's own, 16 bits at most."""

CONVERTER = "convert_hf_to_gguf.py"

HOW = (
    f"pip download --no-deps --no-binary :all: llama-cpp-python=={TRIED[0]} fetches it: name the file, or a folder of "
    "llama.cpp's source, with --source"
)


def convert(checkpoint: Path, file: Path, kind: WeightFormat = "auto", source: Path | None = None) -> tuple[Path, Path]:
    """Writes the model in the folder ``checkpoint`` to ``file`` and its picture tower to ``mmproj-`` ``file`` beside
    it; returns both paths. ``source`` is llama-cpp-python's source distribution or a folder of llama.cpp's.

    Raises :class:`docspec.core.ModelError` if the converter is missing or does not take the model.
    """
    if source is None:
        raise ModelError(f"llama.cpp's converter is part of its source, which is not installed; {HOW}")
    if file.is_dir() or not file.parent.is_dir():
        raise OutputError(f"{file} cannot be written: name a file in a folder that is there")
    check_files(checkpoint)
    told = json.dumps(notes(checkpoint))
    tower = file.with_name(f"mmproj-{file.name}")
    with _folder(source) as folder, tempfile.TemporaryDirectory(dir=file.parent) as made:
        part = Path(made) / file.name  # files appear once they are complete
        ran = subprocess.run(
            [sys.executable, converting.__file__, str(folder), str(checkpoint), str(part), kind, told],
            capture_output=True,
            text=True,
            check=False,
        )
        if ran.returncode:
            said = [line for line in ran.stderr.splitlines() if line.strip()] or ["nothing"]
            raise ModelError(f"llama.cpp's converter does not take {checkpoint}; it said last: {one_line(said[-1])}")
        part.replace(file)
        part.with_name(tower.name).replace(tower)
    return file, tower


def notes(checkpoint: Path) -> dict[str, str]:
    """docspec's metadata about the model in ``checkpoint``."""

    def said(name: str) -> dict[str, Any]:
        file = checkpoint / name
        return read_object(file) if file.is_file() else {}

    found = {MODEL_TYPE: str(read_object(checkpoint / "config.json").get("model_type", ""))}
    if card := said("docspec.json"):
        found[CARD] = json.dumps(card)
    images = said("preprocessor_config.json")
    size = images.get("size")
    size = size if isinstance(size, dict) else {}
    least = size.get("shortest_edge") or images.get("min_pixels")
    most = size.get("longest_edge") or images.get("max_pixels")
    if isinstance(least, int) and isinstance(most, int):
        found[PIXELS] = f"{least},{most}"
    if generation := said("generation_config.json"):
        found[GENERATION] = json.dumps({name: generation[name] for name in RULES if generation.get(name) is not None})
    return found


@contextmanager
def _folder(source: Path) -> Iterator[Path]:
    """The folder of the converter in ``source``; an archive is unpacked to a temporary folder."""
    with tempfile.TemporaryDirectory() as unpacked:
        folders = [source, *sorted(source.glob("vendor/*"))]
        if not source.is_dir():
            try:
                with tarfile.open(source) as archive:
                    wanted = [one for one in archive if "vendor/llama.cpp/" in one.name and _is_needed(one.name)]
                    archive.extractall(unpacked, members=wanted, filter="data")
            except (OSError, tarfile.TarError) as error:
                raise ModelError(f"{source} cannot be unpacked ({error}); {HOW}") from error
            folders = list(Path(unpacked).glob("*/vendor/llama.cpp"))
        found = next((folder for folder in folders if (folder / CONVERTER).exists()), None)
        if found is None:
            raise ModelError(f"{source} has no {CONVERTER}; {HOW}")
        yield found


def _is_needed(name: str) -> bool:
    inside = name.partition("vendor/llama.cpp/")[2]
    return inside == CONVERTER or inside.startswith(("conversion/", "gguf-py/"))
