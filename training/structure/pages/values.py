"""What stands in the cells of one column: numbers of one format, marks, dates, codes, names, texts."""

from __future__ import annotations

import random
from collections.abc import Callable

from training.structure.pages.text import Text, plain
from training.structure.pages.words import ADJECTIVES, GREEK, NOUNS, PLACES, UNITS, Writer

Draw = Callable[[], Text]


def _number(rng: random.Random, scale: float, digits: int) -> str:
    value = rng.random() * scale * rng.choice((1, 1, 1, 0.5, 0.1))
    return f"{value:.{digits}f}"


def decimals(rng: random.Random) -> Draw:
    """Figures with a fixed number of decimals."""
    scale, digits = rng.choice(((1, 2), (1, 3), (1, 4), (100, 1), (100, 2), (10, 2), (1000, 1), (100, 0), (10, 3)))
    signed, comma, no_zero = rng.random() < 0.15, rng.random() < 0.08, scale == 1 and rng.random() < 0.15

    def draw() -> Text:
        text = _number(rng, scale, digits)
        text = text.replace("0.", ".", 1) if no_zero and text.startswith("0.") else text
        text = text.replace(".", ",") if comma else text
        return plain((rng.choice(("−", "", "-")) if rng.random() < 0.8 else "+") * signed + text)

    return draw


def integers(rng: random.Random) -> Draw:
    """Counts, with a mark between thousands or none."""
    top, mark = rng.choice((9, 99, 999, 9999, 99999, 5_000_000)), rng.choice((",", ",", "", ".", " ", "'"))

    def draw() -> Text:
        number = int(top * rng.random() ** rng.choice((1, 2, 4)))
        return plain(f"{number:,}".replace(",", mark))

    return draw


def money(rng: random.Random) -> Draw:
    """Amounts."""
    before, behind = rng.choice(
        (("$", ""), ("€", ""), ("", " €"), ("£", ""), ("", ""), ("", " EUR"), ("$ ", ""), ("", " kr"))
    )
    marks, digits = rng.choice(((",", "."), (".", ","), (" ", ","))), rng.choice((0, 2, 2))

    def draw() -> Text:
        text = (
            f"{rng.random() ** 3 * 20000:,.{digits}f}".replace(",", "~").replace(".", marks[1]).replace("~", marks[0])
        )
        return plain(before + text + behind)

    return draw


def percents(rng: random.Random) -> Draw:
    """Shares."""
    sign, digits = rng.choice(("%", "%", " %", "%")), rng.choice((0, 1, 1, 2))
    return lambda: plain(_number(rng, 100, digits) + sign)


def uncertain(rng: random.Random) -> Draw:
    """Figures with what they are uncertain by."""
    kind, scale, digits = rng.randrange(8), rng.choice((1, 100, 10)), rng.choice((1, 2, 2, 3))

    def draw() -> Text:
        value, error = _number(rng, scale, digits), _number(rng, scale / 20, digits)
        forms: tuple[Text, ...] = (
            plain(f"{value} ± {error}"),
            plain(f"{value}±{error}"),
            plain(f"{value} ({error})"),
            ((value, ""), (f"±{error}", "_")),
            ((value, ""), (f"+{error}", "^"), (f"−{error}", "_")),
            plain(f"{value} [{error}, {_number(rng, scale, digits)}]"),
            plain(f"{value}({rng.randint(1, 99)})"),
            plain(f"{value} ({error}–{_number(rng, scale, digits)})"),
        )
        return forms[kind]

    return draw


def pairs(rng: random.Random) -> Draw:
    """Two figures in one cell."""
    form, digits = (
        rng.choice(
            (
                "{} / {}",
                "{}/{}",
                "{}–{}",
                "{}-{}",
                "[{}, {}]",
                "({}, {})",
                "{} ({}%)",
                "{} to {}",
                "{}:{}",
                "{} × {}",
                "{}x{}",
                "{} → {}",
            )
        ),
        rng.choice((0, 0, 1, 2)),
    )
    return lambda: plain(form.format(_number(rng, 100, digits), _number(rng, 100, digits)))


def powers(rng: random.Random) -> Draw:
    """Figures with a power of ten."""
    digits = rng.choice((0, 1, 2))

    def draw() -> Text:
        return ((f"{_number(rng, 9, digits)} × 10", ""), (f"{rng.choice('−−-')}{rng.randint(2, 12)}", "^"))

    exponent = lambda: plain(f"{_number(rng, 9, digits)}e{rng.choice('-+')}{rng.randint(1, 12):02}")  # noqa: E731
    return exponent if rng.random() < 0.35 else draw


def chances(rng: random.Random) -> Draw:
    """Values of p and figures with stars."""
    stars, signs = rng.random() < 0.6, rng.random() < 0.4

    def draw() -> Text:
        text = (
            rng.choice(("<0.001", "< 0.01", f"{rng.random():.3f}", f"{rng.random():.2f}"))
            if signs
            else f"{rng.uniform(-2, 2):.3f}".replace("-", "−")
        )
        mark = rng.choice(("", "", "*", "**", "***", "†")) if stars else ""
        raised: Text = ((mark, "^"),) if mark and not signs else plain(mark)
        return (*plain(text), *raised)

    return draw


def marks(rng: random.Random) -> Draw:
    """Yes and no in signs."""
    signs = rng.choice(("✓✗", "✓–", "×✓", "✓ ", "•◦", "+-", "YN", "●○", "×-", "xo"))
    yes_no = rng.choice((signs, signs, ("Yes", "No"), ("yes", "no")))
    return lambda: plain(rng.choice(yes_no).strip())


def measures(rng: random.Random) -> Draw:
    """Figures with units, multiples, arrows."""
    tail = rng.choice(("M", "k", "x", "×", " ms", "B", " kg", " h", "GB", " mm", "°", "K", " s", " ↑", " ↓", "th"))
    digits = rng.choice((0, 1, 2))
    return lambda: plain(_number(rng, 500, digits) + tail)


def formulas(rng: random.Random) -> Draw:
    """Short formulas in a line."""
    letters = GREEK + "xyzkNTVEPQRabcn"

    def atom() -> Text:
        index: Text = (
            ((rng.choice(("0", "1", "i", "2", "t", "ij", "n")), rng.choice("^_")),) if rng.random() < 0.5 else ()
        )
        return ((rng.choice(letters), "i"), *index)

    def draw() -> Text:
        text = atom()
        for _ in range(rng.choice((0, 1, 1, 2, 3))):
            text = (*text, (rng.choice((" + ", " − ", " = ", "/", " ≤ ", " × ", "(", ", ")), ""), *atom())
        opened = sum(piece[0] == "(" for piece in text)
        return (*text, *plain(")" * opened))

    return draw


def positions(rng: random.Random) -> Draw:
    """Places in the sky and times of day."""
    mark = rng.choice((":", ":", " ", "h"))
    return lambda: plain(
        f"{rng.choice(('', '', '+', '−'))}{rng.randint(0, 23):02}{mark}{rng.randint(0, 59):02}"
        + (f":{rng.randint(0, 59):02}.{rng.randint(0, 9)}" if mark == ":" else "")
    )


def raised_errors(rng: random.Random) -> Draw:
    """Figures with a small deviation above the line."""
    digits, scale = rng.choice((1, 2, 2)), rng.choice((1, 10, 100))
    return lambda: ((_number(rng, scale, digits), ""), (f"±{_number(rng, scale / 30, digits)}", rng.choice("^^_")))


def digits(rng: random.Random) -> Draw:
    """Single digits, letters, zeros and ones."""
    signs = rng.choice(("01", "0123456789", "ABCDE", "+−0", "HML", "*·-"))
    return lambda: plain(rng.choice(signs))


def years(rng: random.Random) -> Draw:
    """Years, or spans of them."""
    span = rng.random() < 0.3
    return lambda: plain(
        f"{(year := rng.randint(1950, 2026))}" + (f"{rng.choice('–-/')}{(year + 1) % 100:02}" if span else "")
    )


NUMBERS = (
    decimals,
    decimals,
    decimals,
    decimals,
    integers,
    integers,
    percents,
    uncertain,
    uncertain,
    pairs,
    powers,
    chances,
    measures,
    money,
    formulas,
    positions,
    raised_errors,
    digits,
)


def words(writer: Writer, most: int = 3) -> Draw:
    """Names of things."""
    return lambda: plain(writer.title(1, most) if writer.rng.random() < 0.7 else writer.phrase(1, most))


def sentences(writer: Writer) -> Draw:
    """Descriptions, which are wrapped where the column is narrow."""
    length = writer.rng.choice((30, 60, 100, 180))

    def draw() -> Text:
        text = writer.paragraph(writer.rng.randint(10, length))[: length + 40].rsplit(" ", 1)[0]
        return plain(text + writer.rng.choice(("", ".")))

    return draw


def symbols(writer: Writer) -> Draw:
    """Letters as formulas have them, with indices."""
    rng = writer.rng

    def draw() -> Text:
        letter = rng.choice(GREEK + "xyzkNTVEPQR")
        index: Text = (
            ((rng.choice(("0", "1", "i", "max", "min", "eff", "ij", "t")), rng.choice("__^")),)
            if rng.random() < 0.6
            else ()
        )
        return ((letter, "" if letter in GREEK else "i"), *index)

    return draw


def settings(writer: Writer) -> Draw:
    """Names with what was chosen for them, ``K = 4 → K = 3, σ = 0.02``."""
    rng = writer.rng
    letters = rng.sample(GREEK + "TKNpqrkLd", 2)
    form, space = rng.randrange(4), rng.choice((" ", " ", ""))

    def choice(letter: str) -> Text:
        number = rng.choice((str(rng.randint(1, 16)), f"{rng.random():.2f}"))
        return ((letter, "" if letter in GREEK else "i"), (f"{space}={space}{number}", ""))

    def draw() -> Text:
        if form == 0:
            return (*choice(letters[0]), (", ", ""), *choice(letters[1]))
        if form == 1:
            return (*choice(letters[0]), (" → ", ""), *choice(letters[0]))
        if form == 2:
            return (*plain(writer.system()), (" (", ""), *choice(letters[0]), (")", ""))
        return choice(letters[0])

    return draw


def namers(writer: Writer) -> Draw:
    """What names a row."""
    rng = writer.rng
    kinds: tuple[Draw, ...] = (
        lambda: plain(writer.system()),
        lambda: plain(writer.system()),
        words(writer),
        words(writer, 5),
        words(writer, 8),
        lambda: plain(rng.choice(PLACES)),
        lambda: plain(writer.code()),
        lambda: plain(writer.date()),
        lambda: plain(writer.person()),
        symbols(writer),
        formulas(rng),
        settings(writer),
        lambda: plain(str(rng.randint(1, 2000))),
        lambda: plain(f"{rng.choice(NOUNS)}_{rng.choice(NOUNS)}", "m"),
        lambda: plain(f"{rng.choice(ADJECTIVES).title()} ({rng.choice(UNITS)})"),
        lambda: plain(f"{rng.choice(NOUNS)} = {rng.randint(1, 64)}"),
        lambda: plain(f"{rng.randint(1, 60)}–{rng.randint(61, 99)}"),
    )
    return rng.choice(kinds)
