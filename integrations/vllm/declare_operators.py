"""Lets torchvision be imported where its compiled operators are linked to CUDA and cannot be loaded.

It registers how its operators behave without data, for which they have to be declared. They are declared here, by name
and without arguments, when torchvision is first imported; whoever calls one gets an error, and vLLM calls none.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

REGISTRATIONS = "_meta_registrations.py"


class Declares:
    """Stands before all finders until torchvision is asked for."""

    library: object = None

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Finds nothing; declares the operators on the way."""
        if name != "torchvision":
            return
        sys.meta_path.remove(self)  # type: ignore[arg-type]
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            return
        import torch

        library = torch.library.Library(name, "DEF")
        text = Path(spec.origin).with_name(REGISTRATIONS).read_text(encoding="utf-8")
        found = re.findall(r"(?:register_meta|register_fake)\(\"(?:torchvision::)?(\w+)\"", text)
        for operator in dict.fromkeys(found):
            library.define(f"{operator}() -> ()")
        Declares.library = library  # declarations end with it


sys.meta_path.insert(0, Declares())  # type: ignore[arg-type]
