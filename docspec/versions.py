"""The installed versions of packages, read from their metadata so that nothing heavy is imported."""

from __future__ import annotations

import platform
from importlib import metadata

from docspec.core.container import processors

DISTRIBUTION = "docspec-vlm"
"""This project's name as a package; ``docspec`` on the package index is another project."""

NAMESAKE = "the package docspec is another project, which writes into the folder that this one is imported from"
APART = f"pip uninstall docspec, then pip install --force-reinstall --no-deps {DISTRIBUTION} (or your clone)"
"""What is wrong where both are installed (the later one has written over the other), and its remedy."""

PACKAGES = ("torch", "transformers", "pymupdf", "rapidocr", "onnxruntime", "paddleocr", "paddlex", "numpy", "pillow")


def version_of(package: str) -> str | None:
    """The installed version, ``None`` where the package is missing."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def versions() -> dict[str, str | None]:
    """Python's version and those of the packages that results depend on."""
    numbers = {package: version_of(package) for package in PACKAGES}
    return {"python": platform.python_version(), "docspec": version_of(DISTRIBUTION), **numbers}


def machine() -> dict[str, str | int]:
    """The kind of machine, without data on its owner. ``cpus`` is the number that this process may use."""
    return {"system": platform.system(), "architecture": platform.machine(), "cpus": processors()}
