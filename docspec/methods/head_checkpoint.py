"""A head's files: ``head.json`` with its shape and its target, ``head.safetensors`` with its weights."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from docspec.core import ModelError
from docspec.core.safe_text import first_line
from docspec.methods.head_network import Head, HeadConfig


def save(head: Head, folder: Path, **facts: Any) -> None:
    """Writes ``head`` in bfloat16; ``facts`` (the target's size, results of training) are kept in ``head.json``."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: value.detach().to("cpu", torch.bfloat16).contiguous() for name, value in head.state_dict().items()}
    save_file(weights, folder / "head.safetensors", metadata={"format": "pt"})
    text = json.dumps({"config": asdict(head.config), **facts}, indent=2)
    (folder / "head.json").write_text(text + "\n", encoding="utf-8")


def load(folder: Path, size: int, dtype: torch.dtype, device: torch.device) -> Head:
    """The head in ``folder`` for a target with hidden states of ``size``. Raises :class:`docspec.core.ModelError` if
    there is none, or one of another size."""
    try:
        config = HeadConfig(**json.loads((folder / "head.json").read_text(encoding="utf-8"))["config"])
        head = Head(config)
        head.load_state_dict(load_file(folder / "head.safetensors"))
    except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
        raise ModelError(f"{folder} holds no head that can be read ({first_line(error)})") from error
    if config.size != size:
        raise ModelError(f"{folder} is a head for states of {config.size}; the target's are of {size}")
    return head.to(device, dtype).eval()
