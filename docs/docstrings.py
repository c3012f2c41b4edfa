"""What the API reference makes of docstrings, an extension of Griffe: Sphinx's roles become links, and fields of
``ParseOptions`` get the help of their options on the command line."""

from __future__ import annotations

import re
from typing import Any

import griffe

from docspec.core.options import OPTIONS

ROLE = re.compile(r":(?:class|func|meth|mod|data|attr):`~?([^`]+)`")


class Docstrings(griffe.Extension):
    """Works on each object as soon as its package is loaded."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Gives options their help and rewrites the roles of a docstring."""
        if obj.docstring is None and obj.path.startswith("docspec.core.options.ParseOptions.") and obj.name in OPTIONS:
            obj.docstring = griffe.Docstring(OPTIONS[obj.name].help, parent=obj)
        if obj.docstring is not None:
            obj.docstring.value = ROLE.sub(lambda role: link(obj, role[1]), obj.docstring.value)


def path_of(obj: griffe.Object, name: str) -> str:
    """The full name of what a docstring of ``obj`` calls ``name``: a full name itself, or a name in the scope of
    ``obj``. Raises ``griffe.NameResolutionError``."""
    first, dot, rest = name.partition(".")
    return name if first == "docspec" else obj.resolve(first) + dot + rest


def link(obj: griffe.Object, name: str) -> str:
    """``name`` as code; where the reference has it, with a link."""
    return f'<autoref identifier="{path_of(obj, name)}" optional>`{name.rpartition(".")[2]}`</autoref>'
