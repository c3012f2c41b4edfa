"""Resuming a lost draft by its letters, where the tokens do not agree.

What the target wrote since the draft was lost is compared with the draft by letters and digits alone. Where they
agree, the draft goes on behind them; where the target wrote other words, behind as many drafted words; where it
wrote none (an asterisk, a dollar, a line break), before the next drafted word.
"""

from __future__ import annotations

from collections.abc import Sequence

from docspec.speculation.odds import Source
from docspec.speculation.spelling import Speller, letters
from docspec.speculation.trail import Trail

AHEAD = 24
"""Drafted tokens behind the mismatch that are looked at."""

TAIL = 10
"""Tokens written since the mismatch beyond which letters are no longer compared."""

CERTAIN = 5
"""Letters that may agree anywhere in the stretch; fewer only near its beginning."""


def bridges(speller: Speller, tokens: Sequence[int], lost: Trail, output: Sequence[int]) -> list[Trail]:
    """Trails that take up ``lost`` inside or before a drafted word, the likeliest first."""
    size = len(output)
    if not 0 < size - lost.lost_at <= TAIL or tokens[lost.place] < 0:
        return []
    written = "".join([speller.text(token) for token in output[lost.lost_at :]])
    stretch = _Stretch(speller, tokens, lost.place)
    left, left_at = lost.resumed[:2] if lost.resumed is not None else (lost.place, lost.lost_at)
    found = []
    for offset, source, between in _offsets(written, stretch.text):
        joint = stretch.joint(offset, written, between)
        if joint is not None:
            lead, place = joint
            found.append(Trail(tokens, place, source, 0, lead, (left, left_at, place, size + len(lead))))
    return found


def _offsets(written: str, drafted: str) -> list[tuple[int, Source, str]]:
    """Characters of ``drafted`` that may be passed over, given that ``written`` stands instead of its beginning.

    With each, what the target may still write before the draft goes on.
    """
    there, owners = letters(drafted)
    wanted, _ = letters(written)
    if not there:
        return []
    if not wanted:
        # One line break may be the first half of a paragraph's end.
        half = written.endswith("\n") and not written.endswith("\n\n")
        breaks = [(owners[0], Source.BRIDGE_BREAK, "\n")] if half else []
        return [(owners[0], Source.BRIDGE_BLANK, ""), *breaks]
    if there.startswith(wanted):
        return [(owners[len(wanted) - 1] + 1, Source.BRIDGE_SAME, "")]
    offsets = []
    end = _agreement(wanted, there)
    if end:
        offsets.append((owners[end - 1] + 1, Source.BRIDGE_FOUND, ""))
    behind = _behind_words(drafted, sum(1 for word in written.split() if word[0].isalnum()) or 1)
    if behind and not (offsets and offsets[0][0] == behind):
        offsets.append((behind, Source.BRIDGE_WORDS, ""))
    return offsets


def _agreement(wanted: str, there: str) -> int:
    """Where in ``there`` the longest ending of ``wanted`` ends, 0 where none does.

    The fewer letters agree, the nearer to the beginning they must stand: one of the first 3, two of the first 6.
    """
    for size in range(len(wanted), 0, -1):
        reach = 3 * size if size < CERTAIN else len(there)
        at = there.find(wanted[-size:], 0, reach + len(wanted) - size)
        if at >= 0:
            return at + size
    return 0


def _behind_words(drafted: str, count: int) -> int:
    """The end of the word number ``count``, 0 where there are not so many."""
    end = 0
    for _ in range(count):
        while end < len(drafted) and not drafted[end].isalnum():
            end += 1
        while end < len(drafted) and drafted[end].isalnum():
            end += 1
    return end if end < len(drafted) else 0


class _Stretch:
    """The draft from one place on: its text, and where in it each token begins."""

    def __init__(self, speller: Speller, tokens: Sequence[int], place: int) -> None:
        self._speller = speller
        self._place = place
        self._begins: list[int] = []
        pieces: list[str] = []
        length = 0
        for token in tokens[place : place + AHEAD]:
            if token < 0:
                break
            piece = speller.text(token)
            self._begins.append(length)
            pieces.append(piece)
            length += len(piece)
        self._pieces = pieces
        self.text = "".join(pieces)

    def joint(self, offset: int, written: str, between: str) -> tuple[tuple[int, ...], int] | None:
        """Tokens of ``between`` and the text from ``offset`` up to the next word, and the place of that word.

        In the letter case that ``written`` uses, if it is another than the draft's. ``None`` where the stretch ends.
        """
        for index, (begin, piece) in enumerate(zip(self._begins, self._pieces, strict=True)):
            if begin < offset:
                continue
            if begin == offset and not between and (not piece[:1].isalnum() or offset == 0):
                return (), self._place + index
            if begin > offset and piece[:1].isspace():
                rest = between + _in_case_of(written, self.text[:offset], self.text[offset:begin])
                return self._speller.tokens(rest), self._place + index
        return None


def _in_case_of(written: str, drafted: str, rest: str) -> str:
    """``rest`` in lower (upper) case where the same letters are drafted in upper (lower) case and written otherwise."""
    if rest.isupper() and written[-1:].islower():
        return rest.lower()
    if rest.islower() and len(written) > 1 and written.isupper() and drafted.islower():
        return rest.upper()
    return rest
