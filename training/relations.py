"""Small formulas as they stand in running text, spelt as plain characters: `n = 12`, `p < 0.05`, `x ∈ R`,
`s(t) = 2t2 − 3t + 8`. (Displayed formulas are LaTeX, see `formulas`.)"""

from __future__ import annotations

import random
import string

from training.templates import drawn
from training.words import Piece, Word

LETTERS = string.ascii_letters.translate(dict.fromkeys(b"IlO"))  # less those that only neighbours tell from 1 and 0
GREEK = "αβγδεθλμπρσφωχψηκτΔΣΩΓΛΦ"
RELATIONS = "=====<>≤≥≈±×+−≠→∈∈⊂~·"
SIGNS = "++−−−=<≤·×"
BRACKETS = (("|", "|"), ("(", ")"), ("[", "]"), ("{", "}"), ("⟨", "⟩"))
NUMBER = "«8«|9»|0.9«|9»|8«|9|99»«|,999»»"


def variable(rng: random.Random) -> Word:
    """A letter, perhaps with an index, a power or a stroke."""
    letter: Piece = (rng.choice(LETTERS if rng.random() < 0.75 else GREEK), "i")
    if rng.random() < 0.55:
        return [letter]
    low, high = (rng.choice("ijkmnpt0123456789"), rng.choice(("_", "_i"))), (rng.choice("22223345nk*"), "^")
    return [letter, *rng.choice(([low], [low], [high], [high], [low, high], [("′", "")]))]


def term(rng: random.Random) -> Word:
    """What stands in a formula without spaces: a product, a value of a function, a quotient, a number."""
    number: Piece = (drawn(rng, "8«||9|9|.9»"), "")
    name: Piece = (rng.choice("fghstuvxyFGHPRTS"), "i")
    left, right = rng.choice(BRACKETS)
    one, two = variable(rng), variable(rng)
    return rng.choice(
        (
            one,
            [number],
            [number, *one],
            [("−", ""), number, *one],
            [name, ("(", ""), *one, (")", "")],
            [name, ("(", ""), number, (")", "")],
            [name, ("(", ""), *one, (",", ""), *two, (")", "")],
            [*one, ("/", ""), *two],
            [*one, *two],
            [("√", ""), *one],
            [(left, ""), *one, (right, "")],
        )
    )


def relation(rng: random.Random) -> list[Word]:
    """A formula of one to a few terms."""
    kind = rng.random()
    if kind < 0.3:
        return [variable(rng)]
    last = [(drawn(rng, NUMBER), "")] if rng.random() < 0.4 else term(rng)
    words = [term(rng), [(rng.choice(RELATIONS), "")], last]
    if kind < 0.4:
        words[0], words[-1] = [("(", ""), *words[0]], [*words[-1], (")", "")]
    while kind > 0.7 and rng.random() < 0.6:
        words += [[(rng.choice(SIGNS), "")], term(rng)]
    return words
