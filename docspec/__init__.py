"""docspec: document VLMs write the same page in fewer steps, by hierarchical speculative decoding.

``from docspec import parse, Parser, ParseOptions`` is the Python interface; names are imported on first use,
so that ``import docspec`` stays cheap and pulls in no torch.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from docspec import process

if TYPE_CHECKING:
    from docspec.core import Block, Category, DocspecError, DocumentResult, PageResult, ParseOptions
    from docspec.core.observer import NullObserver, Observer
    from docspec.generation.interface import Generation, GenerationRequest
    from docspec.generation.local import Engine
    from docspec.parser import Parser, parse
    from docspec.places import locate

if "vllm" not in sys.modules:  # vLLM owns its process and environment: docspec is a guest there
    process.prepare()

_HOMES = {
    "Parser": "docspec.parser",
    "parse": "docspec.parser",
    "Engine": "docspec.generation.local",
    "Generation": "docspec.generation.interface",
    "GenerationRequest": "docspec.generation.interface",
    "ParseOptions": "docspec.core",
    "PageResult": "docspec.core",
    "DocumentResult": "docspec.core",
    "Block": "docspec.core",
    "Category": "docspec.core",
    "DocspecError": "docspec.core",
    "Observer": "docspec.core.observer",
    "NullObserver": "docspec.core.observer",
    "locate": "docspec.places",
}

__all__ = [
    "Block",
    "Category",
    "DocspecError",
    "DocumentResult",
    "Engine",
    "Generation",
    "GenerationRequest",
    "NullObserver",
    "Observer",
    "PageResult",
    "ParseOptions",
    "Parser",
    "locate",
    "parse",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
