"""What a language knows of hyphens: its words, its compounds, and what each piece of evidence weighs.

A file a language (``lexicons/en.xz``: made by ``training/hyphens.py`` from free word lists and texts) is read when the
first line end asks for it. Evidence adds up: how common the whole and its parts are as words, what the parts are and
how they begin and end; the weights were taught on texts by people.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).with_name("lexicons")
NONE = 3
"""The rank of what is no word; those of words are less, the least that of the commonest."""
LEAST = -0.5
"""What the weights of a kept hyphen add up to at least; chosen on two manuals that nothing was taught on."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words of each rank and the ``compounds`` written with a hyphen, sorted, and the ``weights`` of evidence for a
    hyphen."""

    ranked: Sequence[Sequence[str]]
    compounds: Sequence[str]
    weights: Mapping[str, float]

    def rank(self, word: str) -> int:
        """How rare ``word`` is; a plural is as rare as its singular."""
        rank = self._own_rank(word)
        return self._own_rank(word[:-1]) if rank == NONE and len(word) > 4 and word[-1] == "s" else rank

    def _own_rank(self, word: str) -> int:
        return next((rank for rank, words in enumerate(self.ranked) if _has(words, word)), NONE)

    def keeps(self, head: str, tail: str, both_stand: bool) -> bool:
        """Whether a hyphen between ``head`` and ``tail`` belongs to the word."""
        return sum(self.weights.get(one, 0.0) for one in self.evidence(head, tail, both_stand)) > LEAST

    def evidence(self, head: str, tail: str, both_stand: bool) -> Iterator[str]:
        """The names of what speaks for a hyphen or against it; ``both_stand``: the document has the parts as words."""
        before, _, first = head.lower().rpartition("-")
        second, _, after = tail.lower().partition("-")
        second = second.split("'")[0].split("’")[0]
        ranks = (self.rank(first), self.rank(second), self.rank(first + second))
        yield "always"
        yield f"ranks {ranks}"
        yield f"whole {ranks[2]} {ranks[0] < NONE and ranks[1] < NONE}"
        yield f"first={first}"
        yield f"second={second}"
        yield f"ends {first[-2:]}"
        yield f"begins {second[:2]}"
        yield f"second ends {second[-3:]}"
        yield f"meet {first[-1:]}{second[:1]}"
        yield f"lengths {min(len(first), 7)} {min(len(second), 7)}"
        if any(_has(self.compounds, f"{first}-{one}") for one in (second, second.removesuffix("s"))):
            yield "compound"
        if both_stand:
            yield f"both stand {min(len(first), len(second)) > 3} {ranks[2] < NONE}"
        if before:
            yield f"more before {ranks[0] < NONE}"
        if after:
            yield f"more after {ranks[1] < NONE}"
        if head[0].isupper():
            yield "capital"


def unpacked(data: bytes) -> Lexicon:
    """The lexicon of a file: words by rank, compounds and weights, as ``training/hyphens.py`` packs them."""
    import lzma  # only where a line end asks for it

    *lists, told = lzma.decompress(data).decode().split("\0")
    *ranked, compounds = (words.split("\n") for words in lists)
    return Lexicon(ranked, compounds, json.loads(told))


def _has(words: Sequence[str], word: str) -> bool:
    """Whether ``word`` is one of sorted ``words``."""
    at = bisect_left(words, word)
    return at < len(words) and words[at] == word


@cache
def lexicon_of(language: str) -> Lexicon | None:
    """The lexicon of ``language``; ``None`` if there is none."""
    path = FOLDER / f"{language}.xz"
    return unpacked(path.read_bytes()) if path.is_file() else None


@cache
def _common() -> Mapping[str, frozenset[str]]:
    told: dict[str, str] = json.loads((FOLDER / "languages.json").read_text(encoding="utf-8"))
    return {language: frozenset(words.split()) for language, words in told.items()}


def language_of(words: Iterable[str]) -> str:
    """The language whose commonest words are most frequent among ``words``, a document's without capitals; English,
    if none is."""
    counts = dict.fromkeys(_common(), 0)
    for word in words:
        for language, own in _common().items():
            counts[language] += word in own
    best = max(counts, key=lambda language: (counts[language], language == "en"))
    return best if counts[best] else "en"
