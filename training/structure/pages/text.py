"""Texts of made pages: pieces with a style, as every typesetter can set them.

A text is a tuple of pieces `(characters, style)`. Styles are letters: b bold, i italic, u underlined, m typewriter,
^ raised, _ lowered. A piece of characters `\\n` is a line break.
"""

from __future__ import annotations

Piece = tuple[str, str]
Text = tuple[Piece, ...]
BREAK: Piece = ("\n", "")
GREEK_AS_LATIN = dict(zip("αβγδεθλμπρσφωΔΣΩ", "abgdeqlmprsfwDSO", strict=True))
OTHERS_AS_LATIN = {
    "−": "-",
    "–": "-",
    "—": "-",
    "✓": "x",
    "✗": "-",
    "↑": "+",
    "↓": "-",
    "→": ">",
    "≤": "<",
    "●": "*",
    "○": "o",
}
SIGNS_AS_LATIN = {"◦": "o", "•": "*", "\u2003": "\u00a0", "†": "+", "‡": "#", "€": "EUR", "’": "'"}
AS_LATIN = str.maketrans(GREEK_AS_LATIN | OTHERS_AS_LATIN | SIGNS_AS_LATIN)


def plain(characters: str, style: str = "") -> Text:
    """One piece."""
    return ((characters, style),) if characters else ()


def styled(text: Text, style: str) -> Text:
    """The same text with one more style."""
    return tuple((characters, letters if style in letters else letters + style) for characters, letters in text)


def flat(text: Text) -> str:
    """The characters alone, line breaks as spaces."""
    return "".join(" " if piece == BREAK else piece[0] for piece in text)


def split_lines(text: Text) -> list[Text]:
    """The lines between breaks."""
    lines: list[list[Piece]] = [[]]
    for piece in text:
        if piece == BREAK:
            lines.append([])
        else:
            lines[-1].append(piece)
    return [tuple(line) for line in lines]


def joined(lines: list[Text]) -> Text:
    """Lines with breaks between them."""
    pieces: list[Piece] = []
    for number, line in enumerate(lines):
        pieces += [BREAK] if number else []
        pieces += line
    return tuple(pieces)


def latin(characters: str) -> str:
    """Characters that the standard fonts of PDF have."""
    return characters.translate(AS_LATIN)
