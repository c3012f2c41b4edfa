"""The choices of options, as types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from docspec.core.plugins import with_plugins

Stages = Literal["auto", "both", "page", "none"]
Graphs = Literal["auto", "cuda", "compile", "off"]
Read = Literal["auto", "page", "regions"]
WordsFrom = Literal["auto", "model", "evidence"]
ImageScale = Literal["published", "as-is"]
Dtype = Literal["auto", "float32", "bfloat16", "float16"]
Quantize = Literal["none", "int8", "nf4"]
Exact = Literal["fast", "strict"]
Overlap = Literal["auto", "off"]
Hidden = Literal["drop", "keep"]
OnLoop = Literal["stop", "reread", "keep"]
Attention = Literal["auto", "eager", "sdpa", "split"]
EngineName = Literal["auto", "local", "server", "vllm", "llama", "ray"]
DrafterName = Literal[
    "auto", "text-layer", "rapidocr", "tesseract", "text-layer+rapidocr", "ppstructure", "saved", "none"
]
if not TYPE_CHECKING:
    DrafterName = with_plugins(DrafterName, "drafters")
    EngineName = with_plugins(EngineName, "engines")


class SkipPlan(NamedTuple):
    """When verification is skipped: ``kind`` is ``uniform`` or ``similarity``, ``value`` its K or T."""

    kind: str
    value: float


SERVED_IN_FLIGHT = 16
"""Pages that a server reads side by side by default."""

BUNDLED_MODELS = ("auto", "mini")
"""Names of the bundled reader."""
