"""The families of published models, one file each; every file here with a ``FAMILY`` is found."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from docspec.core.plugins import load, plugins
from docspec.targets.family import Family


@cache
def families() -> dict[str, Family]:
    """All families by the ``model_type`` of their ``config.json``; importing them does not import torch."""
    found: dict[str, Family] = {}
    for module in iter_modules(__path__):
        family: Family = import_module(f"{__name__}.{module.name}").FAMILY
        found.update(dict.fromkeys(family.model_types, family))
    for name in plugins("families"):
        added: Family = load("families", name)
        found = dict.fromkeys(added.model_types, added) | found
    return found


def family_of(config: Mapping[str, Any]) -> Family | None:
    """The family of a checkpoint by its ``config.json``: by its architecture if that identifies it, otherwise by its
    type."""
    named = config.get("architectures") or ()
    for family in families().values():
        if any(name in family.architectures for name in named):
            return family
    return families().get(str(config.get("model_type")))
