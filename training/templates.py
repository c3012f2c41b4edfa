"""Templates of what stands in print besides words, and their filling in.

In a template 8 and 9 are a digit (8 never 0), {word} and the like a word of that kind, «a|b» one of several.
"""

from __future__ import annotations

import random
import re

from training import corpus
from training.prose import FIRST, LAST, MONTHS, UNITS

NUMBERS = (
    "8«|9|99|999».9«|9|99|999»", "0.9«|9|99|999»", "8«|9|99|999»", "8«|9|99»,999«|,999»", "8«|9».«9|99»%", "8«|9»%",
    "8«|9|99»«k|K|M|B|x»", "8«|9».9«|9» ± 0.9«|9»", "8«|9»«±| +/- »9.9«|9»", "«-|−|–|+»8«|9|99»«|.9|.99|.999»",
    "(8«|9|99»«|,999»)", "(0.99«|9»)", "[0.99, 1.99]", "8«|9|99»«–|-»8«9|99|999»", "«$|£|€»«| »8«|9|99»«|,999»«|.99»",
    "«<|>|≤|≥|~|≈»«| »0.«9|99|999»«||*|**|***»", "8/«8|19|29»/20«1|2»9", "20«1|2»9-0«8»-«1|2»9", "1«9»:«3|4|5»9",
    "8.9«|9» × 10", "8«|9|99» {unit}", "«–|—|-|n/a|N/A|yes|no|✓|×|0|1|NS|*»", "«19|20»99",
)  # fmt: skip
QUANTITIES = (
    "{number}", "8«|9|99|999» {unit}", "8«|9|99»«%|°C|k|M|GB|x|th| %|°»", "(8«|9|99»«k|%|M| kg| ms»)",
    "8«|9|99»–8«9|99|999»«|%| {unit}»", "8«|9|99».9«|9» ± 0.«9|99»", "pp. 8«|9|99»–8«9|99»", "No. 8«|9|99|999»",
    "«$|£|€»8«|9|99»«|.9|.99» «million|billion|bn|m»", "«8|19|29» {month} «18|19|20»99", "{month} «8|19|29», «19|20»99",
    "«19|20»99«–|-|/»99", "8.«5|9»\"", "8'", "8'8\"", "8.9\"«x| x |×»«8|19».9\"", "8«|9»°8«|9»'", "«1|8»/«2|4|n|x»",
)  # fmt: skip
ALONE = (
    "{few}", "{label} {few}«||,|.|:|)»", "{label} {few}«||,|.|:|)»", "{label} «I|II|III|IV|V|A|B»",
    "«by|on|of|until|from|over|about|than» {few}«||, 8«|9»|–8«|9»| {month}| to 8«|9»»",
    "{month} {few}«|, «19|20»99»", "{few}, {few} «and|or» {few}", "«!|!!|!!!|?|...|. . .|(!)|(?)|?!|→|←|↔|⇒|=>|->|:-)»",
)  # fmt: skip
FEW = ("1", "1", "1", "2", "3", "4", "5", "6", "7", "8", "9")  # figures that stand alone, 1 as often as in print
LABELS = (
    "Section", "Figure", "Fig.", "Table", "Eq.", "Equation", "Theorem", "Chapter", "Part", "Step", "Version", "Phase",
    "Type", "Class", "class", "group", "equation", "day", "No.", "(Eq.", "§",
)  # fmt: skip
ADDRESSES = (
    "http«|s»://«|www.»{host}/{word}«|/{word}|.html|?id=8999|_{word}/89»", "www.{host}", "{word}«.|_|»{word}@{host}",
    "«doi:|https://doi.org/|»10.8999/«|{word}.»8«9999|99999»", "arXiv:«1|2»999.99999",
    "«/|./|~/|C:/»{word}/{word}.«py|txt|c|xml|pdf»",
)  # fmt: skip
HOSTS = ("{word}", "example", "archive", "data-center", "openlib", "uni-bonn", "nature", "inria", "gov-stats", "w3")
ENDINGS = ("org", "com", "de", "fr", "edu", "net", "ac.uk", "gov", "eu", "io")
CITATIONS = (
    "[8«|9»]", "[8«|9», 89]", "[8«-|–»89]", "[{last}99]", "«(|»{last} et al., «19|20»99«|a|b»)", "{last} («19|20»99)",
    "({last} «and|&» {last}, «19|20»99)", "(«see|e.g.,|cf.» {last} «19|20»99, p. 8«9|99»)",
    "«Section|Sect.|§|Figure|Fig.|Table|Eq.|Theorem|Lemma» 8«||.8|(a)|b»",
)  # fmt: skip
CAPTIONS = "«Figure|Fig.|Table|TABLE|Algorithm|Listing|Note» 8«|9|.8»«.|.|:|:»"
MARKED = (
    ("8", "^"),
    ("8", "^"),
    ("8«|9»", "^"),
    ("8«|9»,89", "^"),
    ("«*|†|‡|§|¶»", "^"),
    ("«*|†|‡»", ""),
    ("«a|b|c|d»", "^"),
    ("«[89]|(8)»", "^"),
)
JOURNALS = (
    "Journal of", "Proc. of", "Trans. on", "Annals", "Review of", "Letters on", "Bulletin of the", "Int. J. of", "Acta",
    "Lecture Notes in",
)  # fmt: skip
PUBLISHERS = ("Springer", "Oxford University Press", "Elsevier", "ACM", "IEEE", "MIT Press")
OPEN = r"«[^«»]*»|(?<!\{)\{[a-z]+\}"
LISTS = {"few": FEW, "label": LABELS, "unit": UNITS, "month": MONTHS, "last": LAST, "first": FIRST}


def drawn(rng: random.Random, template: str, **values: str) -> str:
    """A template filled in; `values` go as they are where their names, in capitals, stand in braces."""

    def part(match: re.Match[str]) -> str:
        mark = match[0]
        if mark in "89":
            return str(rng.randint(1, 9) if mark == "8" else rng.randrange(10))
        return rng.choice(mark[1:-1].split("|")) if mark[0] == "«" else _word_of(rng, mark[1:-1])

    while re.search(OPEN, template):
        template = re.sub(OPEN, part, template)
    return re.sub("[89]", part, template).format(**values)


def _word_of(rng: random.Random, kind: str) -> str:
    if kind == "number":
        return rng.choice(NUMBERS)
    if kind == "host":
        return f"{rng.choice(HOSTS)}.{rng.choice(ENDINGS)}"
    if kind in LISTS:
        return rng.choice(LISTS[kind])
    word = rng.choice(corpus.words()).lower().replace("'", "")
    return re.sub("[{}]", r"\g<0>\g<0>", word)  # its own braces stay
