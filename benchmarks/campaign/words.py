"""Words as the campaign counts them: which of a file's are in its output."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

ENOUGH = 0.95
"""Share of the words of a file that have to be in its output, or the output says what is missing."""

_WORD = re.compile(r"[^\W_]+")
_MARKUP = re.compile(r"</?[a-z]+[^<>]*>|\\[a-z]+")


def words_of(text: str) -> Counter[str]:
    """The words of ``text`` that can be told from chance: of four letters and more, or numbers of two digits."""
    return Counter(
        word for word in _WORD.findall(_plain(text)) if len(word) >= 4 or (len(word) >= 2 and word.isdigit())
    )


def found_in(words: Counter[str], text: str) -> Counter[str]:
    """Those of ``words`` that stand in ``text``, broken ones (``exam-`` and ``ple``) too, as often as they stand there
    at most; in its marks too, which may be words of the page (a listing of TeX or HTML)."""
    runs = ["".join(_WORD.findall(_plain(one))) for one in (_MARKUP.sub("", text), text)]
    return Counter({word: min(count, max(run.count(word) for run in runs)) for word, count in words.items()})


def share_of(words: Counter[str], text: str) -> float:
    """Which share of ``words`` stands in ``text``; 1 where there are none."""
    total = words.total()
    return found_in(words, text).total() / total if total else 1.0


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
