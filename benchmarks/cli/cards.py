"""``python -m benchmarks cards``: which model fits on which card."""

from __future__ import annotations


def cards() -> int:
    """The smallest card for each published size in bfloat16, by the estimate that is made before loading: Markdown."""
    from benchmarks.cards import markdown, needs

    print(markdown(list(needs())))
    return 0
