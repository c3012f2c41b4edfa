"""Resumes a lost draft by its letters, where the tokens do not agree.

The tokens written since the draft was lost are compared with the draft by letters and digits only. Where these agree,
the draft continues after them. Where the target wrote no letters (an asterisk, a dollar sign, a line break), it
continues before the next drafted word.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from docspec.proposing.context import Context, LeftPosition
from docspec.proposing.continuation import Continuation, Key
from docspec.proposing.proposer import RowProposer, proposer
from docspec.proposing.spelling import Speller, letters

AHEAD = 12
"""Drafted tokens after the mismatch that are compared."""

TAIL = 10
"""Tokens written since the mismatch beyond which letters are no longer compared."""

BLANK = Key("no letters written", 0.3)
SAME = Key("same letters in other tokens", 0.6)
FOUND = Key("last letters further on", 0.4)


@proposer("respelling")
class Respelling(RowProposer):
    """Resumes each lost position inside or before a drafted word."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._stretches: dict[int, _Stretch] = {}

    def suggest(self) -> Iterable[Continuation]:
        if self.context.speller is None:
            return
        for lost in self.context.lost:
            yield from self._resume(lost, self.context.speller)

    def _resume(self, lost: LeftPosition, speller: Speller) -> Iterable[Continuation]:
        drafts, output = self.context.drafts, self.context.output
        size = len(output)
        if not 0 < size - lost.at <= TAIL or drafts.tokens[lost.position] < 0:
            return
        written = "".join([speller.text(token) for token in output[lost.at :]])
        stretch = self._stretches.get(lost.position)
        if stretch is None or drafts.growing:
            stretch = self._stretches[lost.position] = _Stretch(speller, drafts.tokens, lost.position)
        for offset, key in _offsets(written, stretch):
            joint = stretch.joint(offset)
            if joint is not None:
                lead, position = joint
                yield self.context.resume(lost, position, key, lead)


def _offsets(written: str, drafted: _Stretch) -> list[tuple[int, Key]]:
    """How many characters of ``drafted`` may be skipped because ``written`` stands in their place."""
    there, owners = drafted.letters
    wanted, _ = letters(written)
    if not there:
        return []
    if not wanted:
        return [(owners[0], BLANK)]
    if there.startswith(wanted):
        return [(owners[len(wanted) - 1] + 1, SAME)]
    end = _agreement(wanted, there)
    return [(owners[end - 1] + 1, FOUND)] if end else []


def _agreement(wanted: str, there: str) -> int:
    """The end in ``there`` of the longest ending of ``wanted`` that occurs in it; 0 if there is none.

    The fewer letters agree, the nearer to the beginning they must be: one within the first 3, two within the first 6.
    """
    for size in range(len(wanted), 0, -1):
        at = there.find(wanted[-size:], 0, 2 * size + len(wanted))
        if at >= 0:
            return at + size
    return 0


class _Stretch:
    """The draft from one position on: its text, and the offset of each token in it."""

    def __init__(self, speller: Speller, tokens: Sequence[int], position: int) -> None:
        self._speller = speller
        self._position = position
        self._begins: list[int] = []
        pieces: list[str] = []
        length = 0
        for token in tokens[position : position + AHEAD]:
            if token < 0:
                break
            piece = speller.text(token)
            self._begins.append(length)
            pieces.append(piece)
            length += len(piece)
        self._pieces = pieces
        self.text = "".join(pieces)
        self.letters = letters(self.text)

    def joint(self, offset: int) -> tuple[tuple[int, ...], int] | None:
        """Tokens that spell the text from ``offset`` to the next word, and the position of that word.

        ``None`` if the stretch ends before.
        """
        for index, (begin, piece) in enumerate(zip(self._begins, self._pieces, strict=True)):
            if begin < offset:
                continue
            if begin == offset and (not piece[:1].isalnum() or offset == 0):
                return (), self._position + index
            if begin > offset and piece[:1].isspace():
                return self._speller.tokens(self.text[offset:begin]), self._position + index
        return None
