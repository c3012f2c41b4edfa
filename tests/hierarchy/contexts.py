"""What pages are read with, for tests of parts of the way of a page."""

from __future__ import annotations

from docspec.core import ParseOptions
from docspec.core.observer import NullObserver
from docspec.dialects import Dialect, make_dialect
from docspec.generation.local import Engine
from docspec.hierarchy.reading_context import ReadingContext
from docspec.targets.registry import LoadedTarget


def context_of(loaded: LoadedTarget, options: ParseOptions, dialect: Dialect | None = None) -> ReadingContext:
    """The context of the engine here, whose model is asked to ``Read.``."""
    target, said = loaded.target, dialect or make_dialect("markdown", page_prompt="Read.", crop_prompt="Read.")
    engine = Engine.of(loaded, options)
    return ReadingContext(loaded.card, said, options, NullObserver(), target.sight, target.max_length, engine)
