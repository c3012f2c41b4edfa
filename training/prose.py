"""What the training pages say: passages of free text, generated prose, figures, names, and noise words.

A reader that knows its language too well guesses instead of reading, so a good part of the text is made of
words in random order, numbers, codes and misspelt words, which only the image can tell.
"""

from __future__ import annotations

import random
import string

from training import corpus

SUBJECTS = [
    "The report",
    "Our survey",
    "This chapter",
    "The committee",
    "A second group",
    "The engine",
    "Each sample",
    "The river",
    "Her letter",
    "The old bridge",
    "The model",
    "Every reader",
    "The council",
    "A young engineer",
    "The museum",
    "The market",
]
VERBS = [
    "shows",
    "describes",
    "crossed",
    "measured",
    "replaced",
    "carries",
    "follows",
    "opened",
    "rejected",
    "holds",
    "reached",
    "improved",
    "doubled",
    "lost",
    "explains",
    "collected",
]
OBJECTS = [
    "the main result",
    "a narrow valley",
    "three new stations",
    "the price of bread",
    "an older method",
    "the northern coast",
    "its first decision",
    "the missing pages",
    "a simple rule",
    "more than half of the cases",
    "the winter timetable",
    "the temperature of the water",
    "a list of names",
    "the second experiment",
]
TAILS = [
    "in the same year",
    "without any warning",
    "for the first time",
    "as the table shows",
    "under normal conditions",
    "before the end of March",
    "at the annual meeting",
    "after a long debate",
    "on the left bank",
    "with some care",
    "by a small margin",
    "near the harbour",
]
FIRST = [
    "Anna",
    "Boris",
    "Clara",
    "David",
    "Elena",
    "Felix",
    "Grace",
    "Henry",
    "Irene",
    "James",
    "Karin",
    "Louis",
    "Maria",
    "Nadia",
    "Oscar",
    "Paula",
    "Quentin",
    "Rosa",
    "Simon",
    "Tara",
    "Umberto",
    "Vera",
    "Walter",
    "Xenia",
    "Yusuf",
    "Zoe",
]
LAST = [
    "Adler",
    "Brook",
    "Castell",
    "Dunne",
    "Ekström",
    "Ferrari",
    "García",
    "Hoffmann",
    "Ibsen",
    "Jansen",
    "Keller",
    "Lindqvist",
    "Moreau",
    "Novak",
    "O'Brien",
    "Petrov",
    "Quist",
    "Rossi",
    "Schäfer",
    "Turner",
    "Unger",
    "Vance",
    "Whitby",
    "Young",
    "Zander",
]
MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
UNITS = ["kg", "km", "m", "mm", "%", "°C", "kWh", "MB", "ms", "GB", "Hz", "s"]
SHORT = (
    "à", "à", "à", "è", "é", "y", "o", "ó", "où", "là", "ça", "dû", "né", "été", "être", "même", "problème", "système",
    "clé", "l'été", "d'où", "qu'à", "für", "über", "daß", "groß", "heißt", "können", "más", "año", "não", "às",
    "på", "är", "så", "één", "perché", "più", "così", "ü", "ß", "«", "»",
)  # fmt: skip
BEFORE = ("",) * 30 + ("„", "«", "“", "(", "¿", "‚")
BEHIND = ("",) * 20 + (*",,..;:?!", " :", " ;", " ?", " !", "“", "”", "»", "“,", "”.", ")", "‘")


class Writer:
    """Draws text from one split with its own random generator; the same seed writes the same text."""

    def __init__(self, rng: random.Random, evaluation: bool = False) -> None:
        self.rng = rng
        self.passages = corpus.paragraphs(evaluation)
        self.evaluation = evaluation

    def passage(self, length: int) -> str:
        """About `length` characters of running text; may start in mid-paragraph."""
        rng = self.rng
        kind = rng.random()
        if kind < 0.62 and self.passages:
            text = rng.choice(self.passages)
            while len(text) < length:
                text += " " + rng.choice(self.passages)
            pieces = text.split(" ")
            text = " ".join(pieces[rng.randrange(max(1, len(pieces) // 3)) :]) if rng.random() < 0.4 else text
        elif kind < 0.75:
            text = self.sentences(length)
        elif kind < 0.92:
            text = self.scramble(length)
        elif kind < 0.99:
            text = " ".join(self.figure() for _ in range(length // 6 + 1))
        else:  # the same over and over
            text = f"{self.phrase(1, 4)}{rng.choice(('', '', '.', ','))} " * (length // 5 + 1)
        if rng.random() < 0.25:
            text = self.misspell(text[: length + 40], rng.choice((0.02, 0.05, 0.1)))
        return cut(text, length)

    def abroad(self, length: int) -> str:
        """About `length` characters in another language: paragraphs, or words of its dictionary in random order."""
        rng = self.rng
        foreign = corpus.paragraphs(self.evaluation, abroad=True)
        if foreign and rng.random() < 0.5:
            return cut(" ".join(rng.choice(foreign) for _ in range(1 + length // 60)), length)
        listing, halved = rng.choice(corpus.dictionaries() or (corpus.words(),)), rng.random() < 0.3

        def word() -> str:
            one, other = rng.choice(SHORT if rng.random() < 0.15 else listing), rng.choice(listing)
            return one[: len(one) // 2 + 1] + other[len(other) // 2 :] if halved else one  # a word of no language

        words = [f"{rng.choice(BEFORE)}{word()}{rng.choice(BEHIND)}" for _ in range(length // 7 + 1)]
        return cut(" ".join(words), length)

    def sentences(self, length: int) -> str:
        """Grammatical generated prose of at least `length` characters."""
        rng, out, size = self.rng, [], 0
        while size <= length:
            sentence = f"{rng.choice(SUBJECTS)} {rng.choice(VERBS)} {rng.choice(OBJECTS)} {rng.choice(TAILS)}"
            if rng.random() < 0.3:
                sentence = f"{sentence}, and {self.name()} {rng.choice(VERBS)} {rng.choice(OBJECTS)}"
            if rng.random() < 0.25:
                sentence += f" ({self.figure()})"
            out.append(sentence + rng.choice("...!?;:"))
            size += len(sentence) + 2
        return " ".join(out)

    def scramble(self, length: int) -> str:
        """Dictionary words in random order with punctuation."""
        rng, listing = self.rng, corpus.words()
        out, size = [], 0
        while size <= length:
            word = rng.choice(listing)
            if rng.random() < 0.08:
                word = word.capitalize() if rng.random() < 0.6 else word.upper()
            if rng.random() < 0.15:
                word += rng.choice([",", ".", ";", ":", "!", "?", ")", "”", "—", "-", "/"])
            if rng.random() < 0.05:
                word = rng.choice(["(", "“", "‘", "[", '"']) + word
            if rng.random() < 0.08:
                word = self.figure()
            out.append(word)
            size += len(word) + 1
        return " ".join(out)

    def misspell(self, text: str, rate: float) -> str:
        """`text` with a share `rate` of its letters and digits replaced by others of the same case."""
        rng = self.rng

        def other(c: str) -> str:
            pool = string.digits if c.isdigit() else string.ascii_lowercase if c.islower() else string.ascii_uppercase
            return rng.choice(pool)

        return "".join(other(c) if c.isascii() and c.isalnum() and rng.random() < rate else c for c in text)

    def figure(self) -> str:
        """A number as it is printed: counts, amounts, dates, shares, codes."""
        rng = self.rng
        return rng.choice(
            (
                lambda: str(rng.randrange(10 ** rng.randint(1, 5))),
                lambda: f"{rng.randrange(10 ** rng.randint(3, 7)):,}",
                lambda: f"{rng.random() * 10 ** rng.randint(0, 3):.{rng.randint(1, 2)}f}",
                lambda: f"{rng.random() * 100:.1f}%",
                lambda: rng.choice("$£€") + f"{rng.randrange(10**6):,}",
                lambda: f"({rng.randrange(10000):,})",
                lambda: str(rng.randint(1900, 2030)),
                lambda: f"{rng.randint(1, 28)} {rng.choice(MONTHS)} {rng.randint(1900, 2030)}",
                lambda: f"{rng.randrange(500)} {rng.choice(UNITS)}",
                lambda: f"{rng.choice(string.ascii_uppercase)}-{rng.randrange(1000)}",
                lambda: f"−{rng.randrange(100)}".replace("−", "-") + f".{rng.randrange(10)}",
                lambda: f"[{rng.randint(1, 60)}]",
            )
        )()

    def name(self) -> str:
        """A person's name."""
        return f"{self.rng.choice(FIRST)} {self.rng.choice(LAST)}"

    def phrase(self, low: int, high: int) -> str:
        """Between `low` and `high` words without final punctuation: titles, items, cells."""
        rng = self.rng
        count = rng.randint(low, high)
        if rng.random() < 0.5 and self.passages:
            pieces = rng.choice(self.passages).split(" ")
            start = rng.randrange(max(1, len(pieces) - count))
            text = " ".join(pieces[start : start + count])
        else:
            text = " ".join(self.scramble(count * 7).split(" ")[:count])
        text = text.strip(" .,;:-—|#*_`>\"'()[]") or "Notes"
        return text[0].upper() + text[1:]

    def label(self) -> str:
        """A table cell: a figure, a word or two."""
        return self.figure() if self.rng.random() < 0.65 else cut(self.phrase(1, 2), 18)


def cut(text: str, length: int) -> str:
    """`text` shortened to at most about `length` characters at a word boundary."""
    if len(text) <= length:
        return text.strip()
    end = text.rfind(" ", 1, length + 1)
    return text[: end if end > 0 else length].strip()
