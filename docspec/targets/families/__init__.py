"""Families of published readers, one file each: a new file with a ``FAMILY`` is found by its being here."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from docspec.targets.family import Family


@cache
def families() -> dict[str, Family]:
    """All families by the ``model_type`` of their ``config.json``; importing them costs no torch."""
    found: dict[str, Family] = {}
    for module in iter_modules(__path__):
        family: Family = import_module(f"{__name__}.{module.name}").FAMILY
        found.update(dict.fromkeys(family.model_types, family))
    return found
