"""Words, names and sentences of several fields, drawn so that cells and paragraphs read like those of real pages."""

from __future__ import annotations

import random
import tomllib
from pathlib import Path

LISTS: dict[str, list[str]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
NOUNS = LISTS["nouns"]
ADJECTIVES = LISTS["adjectives"]
NAMES = LISTS["names"]
DATASETS = LISTS["datasets"]
METRICS = LISTS["metrics"]
UNITS = LISTS["units"]
PLACES = LISTS["places"]
LAST = LISTS["last"]
FIRST = LISTS["first"]
MONTHS = LISTS["months"]
FOREIGN = tuple(LISTS[name] for name in ("german", "french", "spanish", "latin"))
GREEK = "αβγδεθλμπρσφωΔΣΩ"


class Writer:
    """Draws words; `language` None is English, where grammar is imitated."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.foreign = rng.choice(FOREIGN) if rng.random() < 0.15 else None

    def noun(self) -> str:
        """A noun, sometimes with its adjective or in the plural."""
        rng = self.rng
        word = rng.choice(self.foreign or NOUNS)
        if not self.foreign and rng.random() < 0.3:
            word += "s"
        return word

    def phrase(self, least: int = 1, most: int = 4) -> str:
        """A few words as a name of a thing."""
        rng, count = self.rng, self.rng.randint(least, most)
        words: list[str] = []
        while len(words) < count:
            left = count - len(words)
            if left >= 3 and words and rng.random() < 0.5:
                words += [rng.choice(LISTS["links"]), self.noun()]
            elif left >= 2 and rng.random() < 0.6:
                words += [rng.choice(ADJECTIVES), self.noun()]
            else:
                words.append(self.noun())
        return " ".join(words[:count])

    def title(self, least: int = 1, most: int = 4) -> str:
        """A phrase with a capital, or every word with one."""
        text = self.phrase(least, most)
        return text.title() if self.rng.random() < 0.35 else text[:1].upper() + text[1:]

    def sentence(self) -> str:
        """A sentence with commas, figures, names and citations strewn in."""
        rng = self.rng
        if self.foreign:
            words = [rng.choice(self.foreign) for _ in range(rng.randint(5, 22))]
            return " ".join(words).capitalize() + "."
        text = (
            f"{rng.choice(('The', 'Our', 'This', 'Each', 'A', 'In contrast, the', 'However, the', 'As shown, the'))}"
            f" {self.phrase(1, 3)} "
        )
        text += f"{rng.choice(LISTS['verbs'])} {rng.choice(('the', 'a', 'its', 'more than one'))} {self.phrase(1, 4)}"
        for _ in range(rng.choice((0, 0, 1, 1, 2, 3))):
            text += (
                f"{rng.choice((',', '', ' and', ', which', ' that'))} "
                f"{rng.choice(LISTS['verbs'])} {rng.choice(('the', 'an', 'any', 'every'))} "
                f"{self.phrase(1, 4)}"
            )
        if rng.random() < 0.3:
            text += f" {rng.choice(LISTS['links'])} {rng.choice(NAMES + PLACES)}"
        if rng.random() < 0.2:
            quantity = f"{rng.randint(2, 900)} {rng.choice(UNITS)}"
            remarks = (self.citation(), f"{rng.random():.2f}", quantity, f"see Table {rng.randint(1, 9)}")
            text += f" ({rng.choice(remarks)})"
        return text + rng.choice("....;:?").replace(";", ".").replace(":", ".")

    def paragraph(self, characters: int) -> str:
        """Sentences of about `characters` in all."""
        text = self.sentence()
        while len(text) < characters:
            text += " " + self.sentence()
        return text

    def citation(self) -> str:
        """A citation in one of three manners."""
        rng = self.rng
        return rng.choice(
            (
                f"[{rng.randint(1, 99)}]",
                f"[{rng.randint(1, 30)}, {rng.randint(31, 99)}]",
                f"{rng.choice(LAST)} et al., {rng.randint(1990, 2026)}",
                f"{rng.choice(LAST)} et al. ({rng.randint(1990, 2026)})",
                f"({rng.choice(LAST)} and {rng.choice(LAST)}, {rng.randint(1990, 2026)})",
            )
        )

    def person(self) -> str:
        """A name of somebody."""
        rng = self.rng
        return rng.choice(
            (
                f"{rng.choice(FIRST)} {rng.choice(LAST)}",
                f"{rng.choice(LAST)}, {rng.choice(FIRST)[0]}.",
                f"{rng.choice(FIRST)[0]}. {rng.choice(LAST)}",
            )
        )

    def system(self) -> str:
        """A name of a method, as results have it."""
        rng = self.rng
        text = rng.choice(NAMES)
        if rng.random() < 0.35:
            text += rng.choice(LISTS["suffixes"])
        elif rng.random() < 0.15:
            text += f" {rng.choice('+&')} {rng.choice(NAMES)}"
        if rng.random() < 0.15:
            text += " " + self.citation()
        return text

    def date(self) -> str:
        """A date in one of many manners."""
        rng, day, month, year = self.rng, self.rng.randint(1, 28), self.rng.randint(1, 12), self.rng.randint(1985, 2026)
        return rng.choice(
            (
                f"{day:02}.{month:02}.{year}",
                f"{year}-{month:02}-{day:02}",
                f"{day}/{month}/{year % 100:02}",
                f"{day} {MONTHS[month - 1]} {year}",
                f"{MONTHS[month - 1][:3]} {day}, {year}",
                f"{MONTHS[month - 1][:3]}-{year % 100:02}",
            )
        )

    def code(self) -> str:
        """An article number, a key, an identifier."""
        rng = self.rng
        return rng.choice(
            (
                f"{rng.choice('ABCDEFX')}{rng.randint(1, 9999):04}",
                f"{rng.randint(1000, 999999)}",
                f"{rng.choice('ABCD')}{rng.choice('KLMN')}-{rng.randint(10, 999)}/{rng.randint(1, 9)}",
                f"{rng.choice(NOUNS)}_{rng.choice(NOUNS)}",
                f"NGC {rng.randint(10, 7999)}",
                f"{rng.randint(1, 9)}.{rng.randint(1, 19)}",
                f"rs{rng.randint(1000, 99999)}",
            )
        )
