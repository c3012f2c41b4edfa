"""Reads a page by transformers alone: inputs from the checkpoint's own ``AutoProcessor``, then ``generate``."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from docspec.bench.generate import generated
from docspec.core import PageImage
from docspec.core.safe_text import first_line
from docspec.dialects import Dialect
from docspec.engine.request import Request
from docspec.targets.registry import LoadedTarget

ModelInputs = Mapping[str, torch.Tensor]


@dataclass(frozen=True, slots=True)
class Reference:
    """The page's tokens from ``generate``, its end token dropped; ``ended`` tells whether there was one.

    ``inputs`` says who made the inputs, ``apart`` how docspec's own differ from them (empty: not at all).
    """

    tokens: tuple[int, ...]
    ended: bool
    inputs: str
    apart: str
    seconds: float


class ReferenceGenerator:
    """Runs ``generate`` on pages. ``why_not`` says why ``AutoProcessor`` cannot be built here, and is empty where it
    can."""

    def __init__(self, loaded: LoadedTarget, dialect: Dialect) -> None:
        self._loaded = loaded
        self._prompt = dialect.page_prompt
        self.why_not = ""
        self._processor: Any = None
        try:
            from transformers import AutoProcessor

            self._processor = AutoProcessor.from_pretrained(
                loaded.info.path, local_files_only=True, trust_remote_code=False
            )
        except Exception as error:
            self.why_not = f"AutoProcessor cannot be built here ({first_line(error)})"

    def page(self, image: PageImage, request: Request, file: Path | None) -> Reference:
        """``image`` read greedily, up to the budget of docspec's own ``request`` for it; ``file`` is its image
        file, where it has one."""
        started = time.perf_counter()
        inputs, made_by = self._inputs(image, file)
        apart = "" if inputs is None else difference(inputs, request.prompt.inputs)
        tokens, ended = generated(
            self._loaded.target, request.prompt.inputs if inputs is None else inputs, request.budget
        )
        return Reference(tuple(tokens), ended, made_by, apart, time.perf_counter() - started)

    def crops(self, requests: Sequence[Request]) -> Reference:
        """The crops of a page that is read by regions, one after the other, from docspec's own pixels."""
        started = time.perf_counter()
        found = [generated(self._loaded.target, one.prompt.inputs, one.budget) for one in requests]
        tokens = tuple(token for written, _ in found for token in written)
        ended = all(ended for _, ended in found)
        return Reference(tokens, ended, "docspec's own crops, read by regions", "", time.perf_counter() - started)

    def _inputs(self, page: PageImage, file: Path | None) -> tuple[ModelInputs | None, str]:
        """The page through ``AutoProcessor``: an image file by its path, so that it is loaded as transformers does."""
        if self._processor is None:
            return None, f"docspec's own: {self.why_not}"
        if file is not None:
            try:
                return self._processed({"url": str(file)}), "AutoProcessor, which loaded the file itself"
            except (ImportError, RuntimeError):  # torchvision without its image extension
                from transformers.image_utils import load_image

                return self._processed({"image": load_image(str(file))}), "AutoProcessor and load_image"
        return self._processed({"image": page.image}), "AutoProcessor"

    def _processed(self, image: dict[str, Any]) -> ModelInputs:
        content = [{"type": "image", **image}, {"type": "text", "text": self._prompt}]
        return dict(
            self._processor.apply_chat_template(
                [{"role": "user", "content": content}],
                tokenize=True,
                return_dict=True,
                return_tensors="pt",
                add_generation_prompt=True,
            )
        )


def difference(theirs: ModelInputs, ours: ModelInputs) -> str:
    """The first input in which the two differ, and how; empty where they are equal."""
    if theirs.keys() != ours.keys():
        return f"other inputs: {', '.join(sorted(theirs.keys() ^ ours.keys()))}"
    for name, value in theirs.items():
        if value.shape != ours[name].shape:
            return f"{name}: {tuple(ours[name].shape)}, AutoProcessor's are {tuple(value.shape)}"
        if not value.equal(ours[name]):
            return f"{name}: by up to {float((value - ours[name]).abs().max()):.3g}"
    return ""
