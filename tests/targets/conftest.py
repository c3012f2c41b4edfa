"""A tiny random dots.ocr checkpoint, and one thread, as a second only waits on matrices this small."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from docspec.targets.dots_ocr.processing import DotsOCRProcessing
from tests.targets.dots_checkpoint import write_tiny_dots_ocr


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
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
