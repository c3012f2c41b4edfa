"""Decides whether the hyphen at a line's end belongs to its word. Most were put there by the typesetter and go.

The text itself is the best witness: it may have the word elsewhere, with its hyphen or in one piece. A few signs are
sure without it: single letters and capitals before the hyphen, numbers, addresses, suspended hyphens (pre- and
post-war). All else is decided by what the language knows of the word and its parts (:mod:`docspec.dialects.lexicon`);
in a language without a lexicon the word is joined, as German closes its compounds.
"""

from __future__ import annotations

import re
from functools import lru_cache

from docspec.dialects.lexicon import NONE, Lexicon, language_of, lexicon_of

_APART = re.compile(r"[/()\[\]{}]")
_EDGES = ".,;:!?)]}»”’\"'"
_AND = frozenset(
    ("and", "or", "und", "oder", "et", "ou", "bzw", "bzw.", "sowie", "y", "e", "o", "en", "of", "och", "og")
)
_SURE_AND = frozenset(("and", "or", "und", "oder", "bzw.", "sowie"))
_SUSPENDED_BEFORE = re.compile(r"\w-\s+(?:and|or)\s+\w+-$")
"""An English compound after one that is cut short: pre- and on-treatment."""
_WORD = re.compile(r"(?<![\w-])\w+(?:-\w+)*(?![\w-])")
_CUT = re.compile(r"\S+-\n\s*\S+")
_ADDRESS = re.compile(
    r"@|://|\bwww\.|\w/\S*/|\.\w+/|\w_\w|\w\.(?:com|org|net|edu|gov|info|eu|de|uk|fr|html?|pdf|php)\b"
)


def joined(left: str, right: str, context: str) -> tuple[str, str]:
    """``left``, which ends with a hyphen between two words, perhaps without it, and what stands between it and
    ``right``: nothing, or a space after a suspended hyphen. ``context`` is the text around both."""
    if _ADDRESS.search(f"{left[:-1].split()[-1]}-{right.split()[0]}"):
        return left, ""
    head, tail = parts(left, right)
    if not head or not tail or not (head[-1].isalpha() and tail[0].isalpha()):
        return left, ""
    if _stands(f"{head}-{tail}", context) or _stands(f"{head}-{tail}s", context):
        return left, ""
    if _is_suspended(head, right, context):
        return left, " "
    if _stands(f"{head}{tail}", context):
        return left[:-1], ""
    return (left, "") if _SUSPENDED_BEFORE.search(left) or _is_compound(head, tail, context) else (left[:-1], "")


def parts(left: str, right: str) -> tuple[str, str]:
    """The two parts of the word that the ends of ``left`` and ``right`` cut, without signs around them and what a
    bracket or a stroke parts from it (``astro-ph/0303455``)."""
    return left[:-1].split()[-1].lstrip("([{«“‘\"'„"), _APART.split(right.split()[0])[0].rstrip(_EDGES)


def both_stand(head: str, tail: str, context: str) -> bool:
    """Whether both parts stand in ``context`` as words of their own, as parts of a word that was cut seldom do."""
    return _stands(head, context) and _stands(tail, context)


def _stands(word: str, context: str) -> bool:
    """Whether ``word`` stands in ``context`` as a whole word."""
    return word.casefold() in _words_of(context)


@lru_cache(maxsize=64)
def _words_of(context: str) -> frozenset[str]:
    """The words of ``context``; those that the ends of lines cut are none."""
    whole = _CUT.sub(" ", context.casefold())
    return frozenset(_WORD.findall(whole))


def _is_suspended(head: str, right: str, context: str) -> bool:
    """Whether the hyphen stands for the end of a later word: pre- and post-war, Vor- und Nachteile."""
    words = right.split()[:4]
    if words[0] not in _AND or len(words) < 2 or _stands(head + words[0], context):
        return False
    lexicon = _lexicon_of(context)
    if lexicon is not None and lexicon.rank((head + words[0]).lower()) < NONE:
        return False  # pri-or
    return words[0] in _SURE_AND or any("-" in word.rstrip("-") for word in words[1:3])


def _is_compound(head: str, tail: str, context: str) -> bool:
    """Whether the parts of a word are mostly written with a hyphen between them."""
    if not tail[0].islower():
        return not (len(head) > 1 and head.isupper() and tail[:2].isupper())
    last = head.rsplit("-", 1)[-1]
    if head[0].isdigit() or len(last) == 1 or last.isupper():
        return True  # 4th-grade, X-ray, EU-wide: no typesetter cuts a word after its first letter, or after capitals
    lexicon = _lexicon_of(context)
    return lexicon is not None and lexicon.keeps(head, tail, both_stand(head, tail, context))


@lru_cache(maxsize=64)
def _lexicon_of(context: str) -> Lexicon | None:
    """The lexicon of the language that ``context`` is written in."""
    return lexicon_of(language_of(_WORD.findall(context.casefold())))
