"""Loads the models that draft, checked against the target: draft models (``model:NAME`` or ``model:NAME,keep=SHARE``)
and trained heads (``head:FOLDER``, made by ``python -m docspec_methods.teaching``). ``model:mini-draft``,
``head:mini-hivis`` and ``head:mini-vispec`` are those of the bundled reader."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from docspec.core import ModelError, ParseOptions, UsageError
from docspec.proposing.proposer import BatchProposer, register_kind
from docspec_methods.draft_model import DraftModel

if TYPE_CHECKING:
    from docspec.targets.adapter import TransformersTarget
    from docspec.targets.protocol import TargetModel
    from docspec_methods.head_network import Head

HEADS = Path(__file__).parent / "heads"
"""The bundled reader's heads, one folder each."""

MINI_DRAFT = Path(__file__).parent / "mini-draft"
"""The checkpoint of the bundled reader's draft model."""


def load_model(name: str, target: TargetModel) -> TransformersTarget:
    """The model ``name``, or the bundled ``mini-draft``; its tokens and image inputs must be those of ``target``."""
    from docspec.targets.registry import load_target

    dtype: Any = str(target.kv_spec.dtype).removeprefix("torch.")
    device = str(target.kv_spec.device)
    path = str(MINI_DRAFT) if name == MINI_DRAFT.name and not Path(name).is_dir() else name
    loaded = load_target(ParseOptions(model=path, device=device, dtype=dtype, graphs="off")).target
    _check(name, loaded, target)
    return loaded


def _check(name: str, drafter: Any, target: Any) -> None:
    ours, theirs = drafter.processing, target.processing
    if ours.tokenizer.get_vocab() != theirs.tokenizer.get_vocab():
        raise ModelError(f"model:{name} has another vocabulary than the target and cannot draft for it")
    if type(ours) is not type(theirs) or _images(ours) != _images(theirs):
        raise ModelError(f"model:{name} takes other images than the target and cannot draft for it")


def _images(processing: Any) -> Any:
    """The settings of the image processor, if the checkpoint has one."""
    return processing.image_processor and processing.image_processor.to_dict()


def shared(what: str) -> tuple[str, float]:
    """The name, and the share of image tokens that is read, in ``NAME`` or ``NAME,keep=SHARE``. Raises
    :class:`docspec.core.UsageError` for an invalid share."""
    name, asked, share = what.rpartition(",keep=")
    try:
        kept = float(share) if asked else 1.0
    except ValueError:
        kept = 0.0
    if not 0 < kept <= 1:
        raise UsageError(f"{what}: keep is the share of image tokens that the drafter reads, above 0 and at most 1")
    return (name if asked else what), kept


def load_sharing(what: str, target: TargetModel) -> tuple[TransformersTarget, float]:
    """The model in ``what`` (see :func:`load_model`) and the share of image tokens that it reads."""
    name, share = shared(what)
    model = load_model(name, target)
    if share < 1:
        import torch
        from PIL import Image

        prompt = model.encode(Image.new("RGB", (64, 64)), "Read.")
        # one that cannot leave any out is refused here
        indices = torch.arange(prompt.length, device=model.kv_spec.device)
        model.prefill_tokens(prompt, model.kv.cache(1, prompt.length), 0, indices)
    return model, share


register_kind("model", load_sharing, lambda loaded, target: DraftModel(*loaded))


def load_head(name: str, target: TargetModel) -> Head:
    """The head in the folder ``name``, or the bundled one of that name, in the size and precision of ``target``."""
    import torch

    from docspec_methods.head_network import load

    spec = target.kv_spec
    size = int(target.embed(torch.zeros(1, dtype=torch.long, device=spec.device)).shape[-1])
    folder = Path(name).expanduser()
    if not folder.is_dir() and "/" not in name:
        folder = HEADS / name
    return load(folder, size, spec.dtype, spec.device)


def _make_head(head: Head, target: TargetModel) -> BatchProposer:
    from docspec_methods.head_tree import HeadProposer

    return HeadProposer(head, target)


register_kind("head", load_head, _make_head)
