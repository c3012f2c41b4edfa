"""Recognition models of RapidOCR (``ocr:NAME``) for ``docspec models``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docspec.core import ModelError
from docspec.drafting import language_packs
from docspec.drafting.language_packs import Pack


def pack_of(name: str) -> Pack | None:
    """The pack that ``ocr:NAME`` names; ``None`` for another model. Raises :class:`ModelError` for an unknown one."""
    if not name.startswith(language_packs.PREFIX):
        return None
    listed = language_packs.packs()
    pack = listed.get(name.removeprefix(language_packs.PREFIX))
    if pack is None:
        names = ", ".join(listed) or "none, as it is not installed"
        raise ModelError(f"{name}: RapidOCR has no such model; it has {names}")
    return pack


def pack_facts(pack: Pack) -> dict[str, Any]:
    """What ``docspec models show`` says of a pack."""
    file = language_packs.file_of(pack)
    return {
        "name": f"{language_packs.PREFIX}{pack.name}",
        "licence": language_packs.LICENCE,
        "address": pack.address,
        "sha256": pack.sha256,
        "path": "not on this machine" if file is None else str(file),
    }


def file_here(pack: Pack) -> Path:
    """The file of ``pack`` on this machine. Raises :class:`ModelError` where there is none."""
    file = language_packs.file_of(pack)
    if file is None:
        raise ModelError(f"{language_packs.PREFIX}{pack.name} is not on this machine; fetch it with: {pack.download}")
    return file
