"""What the base of the distribution goes without: its extras, the modules that each brings, and one line for
whoever needs one that is not there."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

from docspec.core.errors import ModelError

EXTRAS: Mapping[str, tuple[str, ...]] = {
    "local": ("torch", "transformers", "tokenizers", "safetensors"),
    "ppstructure": ("paddleocr", "paddlex"),
    "llama": ("llama_cpp", "jinja2"),
    "serve": ("starlette", "uvicorn", "aiohttp", "python_multipart", "mcp"),
}
"""Those extras of ``pyproject.toml`` without which a part of docspec cannot be used, and what they bring."""

LOCAL = "pip install 'docspec-vlm[local]', or point --server at a server that has the model"


def missing(extra: str) -> list[str]:
    """The modules of ``extra`` that are not installed."""
    return [module for module in EXTRAS[extra] if not _is_there(module)]


def require_local(what: str) -> None:
    """Raises :class:`docspec.core.ModelError`, in one line, where ``what`` cannot be done for want of the extra
    ``local``."""
    if absent := missing("local"):
        raise ModelError(f"{what} needs {absent[0]}, which is not installed: {LOCAL}")


def remedy(error: ModuleNotFoundError) -> str | None:
    """The same line for a module that was not found where nobody had looked before; ``None`` for one of no extra."""
    module = (error.name or "").partition(".")[0]
    for extra, modules in EXTRAS.items():
        if module in modules:
            how = LOCAL if extra == "local" else f"pip install 'docspec-vlm[{extra}]'"
            return f"this needs {module}, which is not installed: {how}"
    return None


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # a finder that refuses it
        return False
