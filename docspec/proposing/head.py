"""A trained head drafts (``head:FOLDER``): one decoder layer over the target's last hidden states, which ``docspec
train-head`` taught. It is loaded here; :mod:`docspec.proposing.head_tree` is how it drafts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from docspec.core import ModelError
from docspec.proposing.source import opener

if TYPE_CHECKING:
    from docspec.heads.network import Head
    from docspec.proposing.head_tree import HeadSource
    from docspec.targets.protocol import TargetModel

_loaded: WeakKeyDictionary[TargetModel, dict[str, Head]] = WeakKeyDictionary()
"""Heads by the target that they draft for, with which they go."""


@opener("head")
def open_head(folder: str, target: TargetModel | None) -> HeadSource:
    """Drafts with the head in ``folder``, loaded once for each target. Raises :class:`docspec.core.ModelError` where it
    cannot be loaded or does not fit the target."""
    import torch

    from docspec.heads.checkpoint import load
    from docspec.proposing.head_tree import HeadSource

    if target is None:
        raise ModelError(f"head:{folder} drafts for a model, and none runs here")
    known = _loaded.setdefault(target, {})
    if folder not in known:
        spec = target.kv_spec
        size = int(target.embed(torch.zeros(1, dtype=torch.long, device=spec.device)).shape[-1])
        known[folder] = load(Path(folder).expanduser(), size, spec.dtype, spec.device)
    return HeadSource(known[folder], target)
