"""Decides whether the hyphen at a line's end belongs to its word. Most were put there by the typesetter and go.

The text itself is the best witness: it may have the word elsewhere, with its hyphen or in one piece, or both of its
parts as words of their own. Without it, rules tell the words that are written with a hyphen: single letters and
capitals before it, numbers, addresses, suspended hyphens (pre- and post-war), and the first and second parts that
English compounds are mostly made of.
"""

from __future__ import annotations

import re
from functools import lru_cache


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_EDGES = ".,;:!?)]}»”’\"'"
_NUMBERS = _set("twenty thirty forty fifty sixty seventy eighty ninety")
_ONES = _set(
    """
    one two three four five six seven eight nine first second third fourth fifth sixth seventh eighth ninth
    """
)
_FIRST = _set(
    """
    well self half cross vice mid non quasi long short high low full part single double three four five six seven
    eight nine ten best ill much ever far fast slow large small medium first second third hard so
    """
)
"""First parts of compounds; they are words of their own, which typesetters rarely cut off."""
_SECOND = _set(
    """
    based known wide like free term level scale specific dependent related oriented driven led year years called
    being defined funded owned intensive old making speaking readable reported depth person duty granting weighted
    eligible adjusted adjustment advised aware conscious efficient controlled centered centred focused sensitive
    resistant resolution dimensional positive negative conflict rich avoidance bound supported generation trained
    tested style friendly partum hand looking effective ray rays war century quality income speed saving sized born
    ranging resident
    """
)
"""Second parts of compounds."""
_ENDINGS = re.compile(
    r"(?:ly|ness|less|er|ers|est|ing|ings|ed|es|ish|ist|ists|en|ened|ens|ening|age|ages|ful|ment|th|ty|teen|hood|ship|"
    r"dom|ble|tle|ted|ted|sense|etheless|um|ium|ual|ary|ian|ial|al|ally|ity|ities|sive|tion|tions|ical|ber|bers|ior)"
)
"""What makes one word with a first part: high-est, self-ish, short-age."""
_AND = frozenset(
    ("and", "or", "und", "oder", "et", "ou", "bzw", "bzw.", "sowie", "y", "e", "o", "en", "of", "och", "og")
)
_SURE_AND = frozenset(("and", "or", "und", "oder", "bzw.", "sowie"))
_SUSPENDED_BEFORE = re.compile(r"\w-\s+(?:and|or)\s+\w+-$")
"""An English compound after one that is cut short: pre- and on-treatment."""
_DOUBLED = re.compile(r"^(?:re-e|co-o|pre-e|anti-i|semi-i|micro-o)", re.IGNORECASE)
_OPENING = _set(
    """
    after back down else every fore here inter never other over some super there through thus under what when where with
    """
)
"""Words that begin many longer ones."""
LEAST_PART = 4
"""Least letters of a part that counts as a word of its own."""
_WORD = re.compile(r"(?<![\w-])\w+(?:-\w+)*(?![\w-])")
_CUT = re.compile(r"\S+-\n\s*\S+")
_ADDRESS = re.compile(
    r"@|://|\bwww\.|\w/\S*/|\.\w+/|\w_\w|\w\.(?:com|org|net|edu|gov|info|eu|de|uk|fr|html?|pdf|php)\b"
)


def joined(left: str, right: str, context: str) -> tuple[str, str]:
    """``left``, which ends with a hyphen between two words, perhaps without it, and what stands between it and
    ``right``: nothing, or a space after a suspended hyphen. ``context`` is the text around both."""
    head, tail = left[:-1].split()[-1], right.split()[0]
    if _ADDRESS.search(f"{head}-{tail}"):
        return left, ""
    head, tail = head.lstrip("([{«“‘\"'„"), tail.rstrip(_EDGES)
    if not head or not tail or not (head[-1].isalpha() and tail[0].isalpha()):
        return left, ""
    if _stands(f"{head}-{tail}", context) or _stands(f"{head}-{tail}s", context):
        return left, ""
    if _is_suspended(head, right, context):
        return left, " "
    if _stands(f"{head}{tail}", context):
        return left[:-1], ""
    kept = _SUSPENDED_BEFORE.search(left) or _DOUBLED.search(f"{head}-{tail}") or _are_words(head, tail, context)
    return (left, "") if kept or _is_compound(head, tail) else (left[:-1], "")


def _stands(word: str, context: str) -> bool:
    """Whether ``word`` stands in ``context`` as a whole word."""
    return word.casefold() in _words_of(context)


def _are_words(head: str, tail: str, context: str) -> bool:
    """Whether both parts stand in ``context`` as words of their own, as parts of a word that was cut seldom do."""
    first, second = head.casefold(), tail.casefold()
    long = min(len(first), len(second)) >= LEAST_PART and first not in _OPENING
    return long and _stands(first, context) and _stands(second, context)


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
    return words[0] in _SURE_AND or any("-" in word.rstrip("-") for word in words[1:3])


def _is_compound(head: str, tail: str) -> bool:
    """Whether the parts of a word are mostly written with a hyphen between them."""
    if not tail[0].islower():
        return not (len(head) > 1 and head.isupper() and tail[:2].isupper())
    last = head.rsplit("-", 1)[-1]
    if head[0].isdigit():
        return True  # 17β-oestradiol, 4th-grade
    if len(last) == 1 or (len(last) > 1 and last.isupper()):
        return True  # X-ray, EU-wide: no typesetter cuts a word after its first letter, or after capitals
    if "-" in head and (len(last) <= 3 or "-" in tail):
        return True  # state-of-the-art, least-significant-set-bit
    first, second = last.lower(), tail.lower()
    if "-" in second and second.split("-")[0] in ("of", "in", "to", "by", "the", "and", "up", "on"):
        return True
    if first in _NUMBERS:
        return second.split("-")[0] in _ONES
    if first in _FIRST:
        return _ENDINGS.fullmatch(second) is None and len(second) >= 3
    return second in _SECOND and (len(first) >= 3 or first in ("in", "on"))
