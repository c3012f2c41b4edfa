"""What a checkpoint says of itself to docspec: dialect, prompts, limits. Optional; families have defaults.

A file ``docspec.json`` beside the weights overrides the family's defaults, so that a fine-tuned model with its own
prompt needs no code.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from docspec.core import ModelError


@dataclass(frozen=True, slots=True)
class TargetCard:
    """How to talk to a target.

    ``max_new_tokens`` is the generation budget of a page. ``random`` marks weights that were never trained: such a
    target does not read, and every report says so. ``line_pitch_px``, where given, is the distance of text lines
    in pixels that the model reads best.
    """

    dialect: str
    prompt: str | None = None
    crop_prompt: str | None = None
    table_style: str = "html"
    max_new_tokens: int = 8192
    line_pitch_px: int | None = None
    note: str = ""
    random: bool = False

    def overridden_by(self, directory: str) -> TargetCard:
        """This card with what ``directory/docspec.json`` says; raises ``ModelError`` if that file is broken."""
        path = Path(directory) / "docspec.json"
        if not path.is_file():
            return self
        try:
            said: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ModelError(f"{path} is not readable JSON ({error}); correct or remove it") from error
        known = {field.name for field in fields(self)}
        return replace(self, **{name: value for name, value in said.items() if name in known})
