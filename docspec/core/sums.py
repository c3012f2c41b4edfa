"""Dataclasses of counts, added field by field."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields, replace
from typing import Any, TypeVar

D = TypeVar("D", bound=Any)


def summed(one: D, other: D, leaving_out: Collection[str] = ()) -> D:
    """``one`` with the fields of ``other``, of the same class, added to its own, except those in ``leaving_out``."""
    names = [each.name for each in fields(one) if each.name not in leaving_out]
    return replace(one, **{name: getattr(one, name) + getattr(other, name) for name in names})
