"""Checks this machine for PP-StructureV3 (packages, a device, a hub), and keeps the library quiet.

The few environment variables involved are the library's own; they are read here and nowhere else.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import socket
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import getproxies

from docspec.core import DrafterError

HUB_TIMEOUT = 2.0  # seconds after which the model hub counts as unreachable


def cache_folder() -> Path:
    """The library's folder of downloaded models."""
    return Path(os.environ.get("PADDLE_PDX_CACHE_HOME") or Path.home() / ".paddlex") / "official_models"


def best_device(engine: str) -> str | None:
    """The best device for ``engine``; ``None`` leaves it to the library.

    By default the library asks torch even for onnxruntime, and then finds no CUDA provider.
    """
    if engine == "onnxruntime":
        import onnxruntime

        return "gpu:0" if "CUDAExecutionProvider" in onnxruntime.get_available_providers() else "cpu"
    if engine == "transformers":
        import torch

        return "gpu:0" if torch.cuda.is_available() else "cpu"
    return None


def prepare_library() -> None:
    """Prepares the import of paddlex: a logger that has a handler keeps it from adding its own on standard
    error.
    """
    logger = logging.getLogger("paddlex")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())


def require_packages(engine: str) -> None:
    """Raise :class:`DrafterError` naming the packages that ``engine`` needs and that are not installed."""
    # sklearn and ftfy stand for the extra: paddleocr without it imports, and fails when the pipeline is made
    needed = dict.fromkeys(("paddleocr", "paddlex", "sklearn", "ftfy"), "paddleocr[doc-parser]")
    match engine:
        case "onnxruntime":
            needed |= {"onnxruntime": "onnxruntime"}
        case "transformers":
            needed |= {"transformers": "transformers", "torchvision": "torchvision"}
        case _:
            needed |= {"paddle": "paddlepaddle"}
    missing = sorted({package for module, package in needed.items() if importlib.util.find_spec(module) is None})
    if missing:
        raise DrafterError(f"PP-StructureV3 on {engine} needs {' and '.join(missing)}: pip install them")


def hub_answers() -> bool:
    """Whether the model hub accepts a connection.

    True without a test if another source was chosen or a proxy is used: the library will find out.
    """
    if os.environ.get("PADDLE_PDX_MODEL_SOURCE", "huggingface").lower() != "huggingface":
        return True
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        return False
    hub = urlsplit(os.environ.get("PADDLE_PDX_HUGGING_FACE_ENDPOINT") or constants.ENDPOINT)
    if hub.scheme in getproxies():
        return True
    port = hub.port or (80 if hub.scheme == "http" else 443)
    try:
        socket.create_connection((hub.hostname or "", port), timeout=HUB_TIMEOUT).close()
    except OSError:
        return False
    return True
