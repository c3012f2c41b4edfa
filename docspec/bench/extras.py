"""Packages that only benchmarks need: the extra ``bench``, asked for where they are used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from docspec.core import UsageError


def require(module: str, purpose: str) -> Any:
    """The imported ``module``; raises :class:`UsageError` in one line where its package is not installed."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise UsageError(
            f"{purpose} needs {package}, which is not installed: pip install 'docspec-vlm[bench]'"
        ) from error
