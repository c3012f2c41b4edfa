"""The two ways in which a step attends to its trees."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from docspec.targets.adapter import TransformersTarget


def ways_of(target: TransformersTarget) -> tuple[str, ...]:
    """The ways of ``target`` here, the one that it takes by itself first: ``masked``, with one mask over prefix and
    tree, and where it can ``split``, by docspec's kernels (:mod:`docspec.targets.tree_attention`)."""
    if target.no_split:
        return ("masked",)
    return ("split", "masked") if target.split else ("masked", "split")


@contextlib.contextmanager
def attending(target: TransformersTarget, way: str) -> Iterator[None]:
    """Within it, trees of ``target`` are attended by ``way``."""
    before = target.split
    target.steps.forget()
    target.split = way == "split"
    try:
        yield
    finally:
        target.split = before
        target.steps.forget()
