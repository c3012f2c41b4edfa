"""Recognition models of RapidOCR for single scripts (its *packs*: ``cyrillic``, ``arabic``, ``korean``, ...), by the
list in its own wheel: names, addresses and hashes. They are found in a folder, in the cache of docspec
(``docspec models download ocr:cyrillic`` puts them there) or where RapidOCR itself keeps what it fetches; nothing is
fetched here.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from docspec.core.paths import cache_folder

PREFIX = "ocr:"
"""How packs are called in ``docspec models``."""

LICENCE = "Apache-2.0"
"""Of all models in RapidOCR's list, which are PaddleOCR's."""

_VERSIONS = ("PP-OCRv4", "PP-OCRv5")
"""Generations in the list; a later one replaces an earlier one. PP-OCRv6 has the model of the wheel alone."""


@dataclass(frozen=True, slots=True)
class Pack:
    """A pack by its ``name`` in RapidOCR's list, the ``address`` of its file and the SHA-256 of that."""

    name: str
    address: str
    sha256: str

    @property
    def file_name(self) -> str:
        return self.address.rsplit("/", 1)[1]

    @property
    def download(self) -> str:
        """The command that fetches it."""
        return f"docspec models download {PREFIX}{self.name}"


@cache
def packs() -> Mapping[str, Pack]:
    """The packs in the list of the installed RapidOCR, by name; none without RapidOCR."""
    folder = wheel_folder()
    if folder is None:
        return {}
    from omegaconf import OmegaConf

    listed: Any = OmegaConf.to_container(OmegaConf.load(folder / "default_models.yaml"))
    found = {}
    for version in _VERSIONS:
        for key, entry in listed["onnxruntime"].get(version, {}).get("rec", {}).items():
            name, _, kind = key.partition("_PP-OCR")
            if kind.endswith("_rec_mobile"):
                found[name] = Pack(name, entry["model_dir"], entry["SHA256"])
    return dict(sorted(found.items()))


def wheel_folder() -> Path | None:
    """The folder of the package RapidOCR, which is slow to import; ``None``: it is not installed."""
    spec = importlib.util.find_spec("rapidocr")
    return None if spec is None or spec.origin is None else Path(spec.origin).parent


def pack_folder() -> Path:
    """Where docspec keeps fetched packs."""
    return cache_folder() / "ocr"


def file_of(pack: Pack) -> Path | None:
    """The file of ``pack`` on this machine; ``None``: it is not here."""
    wheel = wheel_folder()
    places = [pack_folder(), wheel and wheel / "models"]
    files = (place / pack.file_name for place in places if place is not None)
    return next((file for file in files if file.is_file()), None)
