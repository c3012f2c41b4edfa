"""The choices of options, as types, and combinations of options that make sense, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

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
PlacesFrom = Literal["none", "drafts", "recognise"]
Hidden = Literal["drop", "keep"]
Formulas = Literal["latex", "text", "picture"]
OnLoop = Literal["stop", "reread", "keep"]
Attention = Literal["auto", "eager", "sdpa", "split"]
EngineName = Literal["auto", "local", "server", "vllm", "llama"]
DrafterName = Literal[
    "auto", "text-layer", "rapidocr", "tesseract", "text-layer+rapidocr", "ppstructure", "saved", "none"
]
DialectName = Literal[
    "markdown",
    "layout-json",
    "doctags",
    "grounded",
    "grounded-inline",
    "grounded-markdown",
    "layout-html",
    "layout-html-2",
]
if not TYPE_CHECKING:
    DialectName = with_plugins(DialectName, "dialects")
    DrafterName = with_plugins(DrafterName, "drafters")
    EngineName = with_plugins(EngineName, "engines")

DIALECTS: tuple[DialectName, ...] = get_args(DialectName)

TableStyle = Literal["compact", "html", "pipe", "both", "otsl"]
"""HTML on one line only (dots.ocr), HTML also indented, pipe tables, HTML of both kinds and pipe tables, or OTSL."""


class SkipPlan(NamedTuple):
    """When verification is skipped: ``kind`` is ``uniform`` or ``similarity``, ``value`` its K or T."""

    kind: str
    value: float


SERVED_IN_FLIGHT = 16
"""Pages that a server reads side by side by default."""

BUNDLED_MODELS = ("auto", "mini")
"""Names of the bundled reader."""

Profile = Literal["exact", "fast", "lossy"]

PROFILES: dict[Profile, dict[str, Any]] = {
    "exact": {"words": "model", "exact": "strict"},
    "fast": {"words": "evidence", "pages_in_flight": 4},
    "lossy": {
        "words": "evidence",
        "drafter": "text-layer+rapidocr",
        "pages_in_flight": 4,
        "tau": 0.75,
        "trust_agreement": True,
    },
}
"""Combinations of options; an option that is given by itself overrides its profile. ``exact``: the model's own words,
near ties decided as in plain decoding. ``fast``: known and sound words are kept, the rest is the model's own, four
pages at a time. ``lossy``: in addition, drafted tokens that are nearly as likely as the model's own are accepted, and
text on which two readings agree is not read. Each may be given to :class:`docspec.ParseOptions`:
``ParseOptions(**PROFILES["fast"])``."""
