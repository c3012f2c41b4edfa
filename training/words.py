"""What lines are made of: a line is a list of words, a word a list of pieces `(text, style)` set without a space
between them. Styles are letters: i italic, b bold, c small capitals, m typewriter, ^ raised, _ lowered, d
lowered in full size, t close to what stands before."""

from __future__ import annotations

Piece = tuple[str, str]
Word = list[Piece]


def plain(text: str, style: str = "") -> list[Word]:
    """Words of one style."""
    return [[(word, style)] for word in text.split()]
