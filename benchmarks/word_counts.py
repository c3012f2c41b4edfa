"""The words and numbers of a page's text layer in what somebody has written of the page: found, wrong, in their order.

Both sides are made bare alike: Markdown's and HTML's marks, kinds of quotes, hyphens within words and capitals aside. A
number that is written more often than it is printed is wrong. Labels of pictures count for what is found alone: a text
layer knows nothing of what stands in a picture, so that nobody can tell whether they are right.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq

NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
WORD = re.compile(r"[^\W\d_]+")

_LINK = re.compile(r"!?\[([^\]]*)\]\((?:[^()\s]|\([^()]*\))*\)")
_PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_INLINE = re.compile(r"</?(?:sup|sub|b|i|em|strong|u|s|code|span)\b[^>]*>", re.IGNORECASE)
_ADDRESS = re.compile(r"<((?:https?|ftp|mailto):[^<>\s]*)>", re.IGNORECASE)
_TAG = re.compile(r"(?<!\\)</?[A-Za-z][^>]*>")
_FENCE = re.compile(r"(?m)^\s*(?:```\S*|~~~\S*)$")
_MARKS = re.compile(r"\*\*|__|~~|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)|\\(?=[^\w\s])|`")
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u2010\u2011\u00ad]\s*(?=[^\W\d_])")


@dataclass(frozen=True, slots=True)
class WordCounts:
    """Of one page or of several together: ``numbers`` that the text layer has, ``numbers_found`` of them in the text,
    ``numbers_written`` there and ``numbers_wrong`` of these; ``words`` of the layer, ``words_found`` of them, and
    ``in_order``: of those found, the most that stand in the layer's order."""

    numbers: int = 0
    numbers_found: int = 0
    numbers_written: int = 0
    numbers_wrong: int = 0
    words: int = 0
    words_found: int = 0
    in_order: int = 0

    def __add__(self, other: WordCounts) -> WordCounts:
        return WordCounts(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))


def counted(layer: str, written: str, labels: str = "") -> WordCounts:
    """``written`` (Markdown), and the ``labels`` of pictures, held against the text ``layer`` of its page
    (plain lines)."""
    truth, text, beside = _bare(layer), _bare(without_marks(written)), _bare(without_marks(labels))
    printed, numbers = Counter(NUMBER.findall(truth)), Counter(NUMBER.findall(text))
    words, theirs = WORD.findall(truth), [*WORD.findall(text), *WORD.findall(beside)]
    seen = numbers + Counter(NUMBER.findall(beside))
    found = (Counter(words) & Counter(theirs)).total()
    return WordCounts(
        numbers=printed.total(),
        numbers_found=(printed & seen).total(),
        numbers_written=numbers.total(),
        numbers_wrong=(numbers - printed).total(),
        words=len(words),
        words_found=found,
        in_order=_longest_common(words, theirs),
    )


def without_marks(markdown: str) -> str:
    """The words of ``markdown``, without its marks and links."""
    text = _LINK.sub(r"\1", _PICTURE.sub(" ", markdown))
    text = _ADDRESS.sub(r"\1", _INLINE.sub("", text))
    return _MARKS.sub("", _FENCE.sub("", _TAG.sub(" ", text)))


def _bare(text: str) -> str:
    return _HYPHEN.sub("", unicodedata.normalize("NFKC", text)).casefold()


def _longest_common(words: Sequence[str], others: Sequence[str]) -> int:
    return int(LCSseq.similarity(words, others))
