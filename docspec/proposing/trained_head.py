"""Loads trained draft heads (``head:FOLDER``): one decoder layer over the target's last hidden states, trained with
``python -m training.head``. ``head:mini-hivis`` and ``head:mini-vispec`` are those of the bundled reader.
:mod:`docspec.proposing.head_tree` drafts with them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from docspec.proposing.proposer import register_kind

if TYPE_CHECKING:
    from docspec.heads.network import Head
    from docspec.proposing.head_tree import HeadProposer
    from docspec.targets.protocol import TargetModel

BUNDLED = Path(__file__).parent.parent / "reader" / "heads"
"""The bundled reader's heads, one folder each."""


def load(name: str, target: TargetModel) -> Head:
    """The head in the folder ``name``, or the bundled one of that name, in the size and precision of ``target``."""
    import torch

    from docspec.heads.checkpoint import load as load_head

    spec = target.kv_spec
    size = int(target.embed(torch.zeros(1, dtype=torch.long, device=spec.device)).shape[-1])
    folder = Path(name).expanduser()
    if not folder.is_dir() and "/" not in name:
        folder = BUNDLED / name
    return load_head(folder, size, spec.dtype, spec.device)


def make(head: Head, target: TargetModel) -> HeadProposer:
    """Drafts with ``head`` for the rows of one batch."""
    from docspec.proposing.head_tree import HeadProposer

    return HeadProposer(head, target)


register_kind("head", load, make)
