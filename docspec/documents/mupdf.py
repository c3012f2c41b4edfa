"""PyMuPDF, silenced: MuPDF prints its own warnings about damaged files unless it is told not to.

All modules take PyMuPDF from here, so that standard output stays the document's alone.
"""

from __future__ import annotations

import importlib
import importlib.util
import logging
import sys
from functools import cache
from typing import Any

from docspec.core.libraries import session_threads

LAYOUT, READER = "pymupdf.layout", "pymupdf4llm"


@cache
def mupdf() -> Any:
    """The ``pymupdf`` module; its messages go to the logger ``docspec.mupdf`` and nowhere else."""
    pymupdf = _without_layout()
    logger = logging.getLogger("docspec.mupdf")
    logger.addHandler(logging.NullHandler())
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    pymupdf.TOOLS.unset_quad_corrections(True)  # as in pymupdf4llm: boxes of lines are the fonts' own
    pymupdf.set_messages(pylogging_logger=logger, pylogging_level=logging.DEBUG)
    return pymupdf


@cache
def load_layout_model() -> None:
    """Loads PyMuPDF's layout model, which takes longer than PyMuPDF itself. It works with one thread: pages are drafted
    in several processes, and threads that wait for each other lose more on a busy machine than they gain on an idle
    one."""
    pymupdf = mupdf()
    if pymupdf._get_layout is not None:
        return
    pymupdf._get_layout = load_layout_model  # the package loads its model when it is imported, unless there is one
    model: Any
    try:
        layout, model = (importlib.import_module(name) for name in (LAYOUT, f"{LAYOUT}.onnx.BoxRFDGNN"))
    finally:
        pymupdf._get_layout = None
    from docspec.documents.layout_network import quick_sessions

    _without_grids(model)
    model.make_session = quick_sessions(model.make_session)
    with session_threads(1):
        layout.activate()


def _without_grids(model: Any) -> None:
    """Has the layout ``model``, a module, neither load nor run the network that finds grids of tables, which takes half
    of its time on pages of tables: docspec finds its own (``drafting/structure``). There is no public way."""
    for name in vars(model):
        if name.startswith("TableGridExtractor"):
            setattr(model, name, lambda *given, **settings: None)


def _without_layout() -> Any:
    """PyMuPDF without its layout model and pymupdf4llm, which it would load at once: files are opened half a second
    earlier. An installed pymupdf4llm is loaded at its first use."""
    if "pymupdf" in sys.modules or LAYOUT in sys.modules:
        return importlib.import_module("pymupdf")
    hidden = [name for name in (LAYOUT, READER) if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        pymupdf: Any = importlib.import_module("pymupdf")
    finally:
        for name in hidden:
            del sys.modules[name]
    if READER in hidden:
        pymupdf.pymupdf4llm = _loaded_late(READER)
    return pymupdf


def _loaded_late(name: str) -> Any:
    """A module that is loaded at its first use; ``None`` if it is not installed."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        return None
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
