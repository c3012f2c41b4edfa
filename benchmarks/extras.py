"""Packages that only benchmarks need: the extras ``bench`` and ``suites``, asked for where they are used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from docspec.core import UsageError


def require(module: str, purpose: str, extra: str = "bench") -> Any:
    """The imported ``module`` of ``extra``; raises :class:`UsageError` in one line where its package is missing."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise UsageError(
            f"{purpose} needs {package}, which is not installed: pip install 'docspec-vlm[{extra}]'"
        ) from error
