"""A real llama.cpp: ``DOCSPEC_LLAMA_PYTHON`` names the Python of an environment made by
``integrations/llama.cpp/make_env.sh``, in which llama-cpp-python's source lies too; without it they are skipped."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from docspec.generation.llama.convert import convert
from docspec.targets.registry import BUNDLED

PYTHON = os.environ.get("DOCSPEC_LLAMA_PYTHON")


@pytest.fixture(scope="session")
def python() -> Path:
    if PYTHON is None:
        pytest.skip("DOCSPEC_LLAMA_PYTHON names no Python that has llama-cpp-python")
    return Path(PYTHON)


@pytest.fixture(scope="session")
def source(python: Path) -> Path:
    """llama.cpp's source."""
    return next(iter((python.parents[1] / "source").glob("llama_cpp_python-*.tar.gz")))


@pytest.fixture(scope="session")
def reader_gguf(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled reader in float32."""
    file, _ = convert(BUNDLED, tmp_path_factory.mktemp("gguf") / "reader.gguf", "f32", source)
    return file
