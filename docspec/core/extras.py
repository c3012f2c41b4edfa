"""The extras of the distribution, the modules that each brings, and the error message for a missing one."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

from docspec.core.errors import Failure, ModelError

EXTRAS: Mapping[str, tuple[str, ...]] = {
    "local": ("torch", "transformers", "tokenizers", "safetensors"),
    "ppstructure": ("paddleocr", "paddlex"),
    "llama": ("llama_cpp", "jinja2"),
    "serve": ("starlette", "uvicorn", "aiohttp", "python_multipart", "mcp"),
}
"""The extras of ``pyproject.toml`` that a part of docspec cannot be used without, and their modules."""

LOCAL = "pip install 'docspec-vlm[local]', or point --server at a server that has the model"


def missing(extra: str) -> list[str]:
    """The modules of ``extra`` that are not installed."""
    return [module for module in EXTRAS[extra] if not _is_there(module)]


def require_local(what: str) -> None:
    """Raises :class:`docspec.core.ModelError` if the extra ``local``, which ``what`` needs, is not installed."""
    if absent := missing("local"):
        raise ModelError(f"{what} needs {absent[0]}, which is not installed: {LOCAL}", Failure.NO_MODEL)


def remedy(error: ModuleNotFoundError) -> str | None:
    """The error message for a module that an import did not find; ``None`` if it belongs to no extra."""
    module = (error.name or "").partition(".")[0]
    for extra, modules in EXTRAS.items():
        if module in modules:
            how = LOCAL if extra == "local" else f"pip install 'docspec-vlm[{extra}]'"
            return f"this needs {module}, which is not installed: {how}"
    return None


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # a finder refuses it
        return False
