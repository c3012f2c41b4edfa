"""Makes pages of random formulas, in the layout of pdf-parse-bench (``pdfs/``, ``ground_truth/``).

The grammar nests what formulas are made of (scripts, fractions, roots, operators with limits, brackets, matrices,
cases, accents, text) deeper and denser than papers do, so that some formulas are read wrong: certainty is measured on
these.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.formulas.typesetting import BASE, Paragraph, typeset


def _listed(text: str) -> list[str]:
    return text.split()


_WORDS = _listed(
    "the number of steps that a walk takes before it returns depends on where it starts and on the width of each room; "
    "we write this down for later use and go on with a bound which holds for all of them as was shown before"
)
_LETTERS = [*"abcdefghkmnpqrstuvwxyzABCDEFGHKLMNPQRSTUVXYZ"]
_GREEK = [
    f"\\{name} "
    for name in _listed(
        "alpha beta gamma delta epsilon varepsilon zeta eta theta lambda mu nu xi pi rho sigma tau phi varphi chi psi "
        "omega Gamma Delta Theta Lambda Sigma Phi Psi Omega"
    )
]
_RELATIONS = _listed(r"= = = = < > \leq \geq \neq \approx \equiv \in \subset \subseteq \to \sim \Rightarrow")
_BINARY = _listed(r"+ + + - - - \cdot \times \pm \cup \cap \otimes \oplus \circ \wedge")
_FUNCTIONS = _listed(r"\sin \cos \log \exp \ln \tan \det \dim \ker")
_ACCENTS = _listed(r"\hat \bar \tilde \vec \dot \ddot \widehat \overline")
_ALPHABETS = _listed(r"\mathbb \mathcal \mathbf \mathrm \mathfrak")
_OPERATORS = _listed(r"\sum \sum \prod \int \int \bigcup \bigoplus \lim \max \sup")
_TOWARDS = (r"\to ", r"\in ")
_BRACKETS = (("(", ")"), ("[", "]"), (r"\{", r"\}"), (r"\lfloor", r"\rfloor"), (r"\langle", r"\rangle"), ("|", "|"))


class Maker:
    """Makes formulas of one random sequence."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def displayed(self) -> str:
        """A formula that stands alone."""
        kind = self._random.random()
        if kind < 0.12:
            lines = [rf"{self._terms(2)}&={self._terms(2)}" for _ in range(self._random.randint(2, 3))]
            return _environment("aligned", lines)
        if kind < 0.2:
            rows = [rf"{self._terms(1)}&\text{{if }}{self._letter()}{self._pick(_RELATIONS[:6])}{self._letter()}"
                    for _ in range(self._random.randint(2, 3))]  # fmt: skip
            return f"{self._base()}={_environment('cases', rows)}"
        sides = [self._terms(3) for _ in range(self._random.choice((1, 2, 2, 2, 3)))]
        return f" {self._relation()} ".join(sides)

    def inline(self) -> str:
        """A formula within a line of prose."""
        sides = [self._terms(1, most=2) for _ in range(self._random.choice((1, 1, 2)))]
        return f" {self._pick(_RELATIONS)} ".join(sides)

    def paragraph(self) -> Paragraph:
        """Words with two formulas within, and one below."""
        words = [self.prose(count) for count in (8, 6, 12)]
        return Paragraph(words, [self.inline(), self.inline()], self.displayed())

    def prose(self, words: int) -> str:
        """So many words."""
        return " ".join(self._random.choices(_WORDS, k=words))

    def _pick(self, among: list[str]) -> str:
        return self._random.choice(among)

    def _terms(self, depth: int, most: int = 4) -> str:
        count = self._random.randint(1, most if depth > 1 else 2)
        written = self._term(depth)
        for _ in range(count - 1):
            written += f" {self._pick(_BINARY)} {self._term(depth)}"
        return written

    def _term(self, depth: int) -> str:
        if depth <= 0:
            return self._base() if self._random.random() < 0.7 else str(self._random.randint(1, 99))
        makers: list[tuple[int, Callable[[int], str]]] = [
            (8, lambda depth: self._base() + self._scripts(depth)),
            (3, lambda depth: self._base()),
            (3, lambda depth: rf"\frac{{{self._terms(depth - 1)}}}{{{self._terms(depth - 1)}}}"),
            (1, lambda depth: rf"\sqrt{{{self._terms(depth - 1)}}}"),
            (2, self._operator),
            (2, self._bracketed),
            (1, lambda depth: rf"{self._pick(_FUNCTIONS)} {self._base()}"),
            (1, lambda depth: rf"{self._base()}({self._terms(0)})"),
            (1, self._matrix),
            (1, lambda depth: rf"\binom{{{self._terms(0)}}}{{{self._terms(0)}}}"),
            (1, lambda depth: rf"\sqrt[{self._random.randint(3, 9)}]{{{self._terms(depth - 1)}}}"),
            (1, lambda depth: rf"\overline{{{self._letter()}{self._letter()}}}"),
            (1, self._braced),
        ]
        weights, functions = zip(*makers, strict=True)
        return self._random.choices(functions, weights)[0](depth)

    def _relation(self) -> str:
        """A relation; some have a letter or a word over them."""
        chance = self._random.random()
        if chance < 0.05:
            return rf"\xrightarrow{{{self._terms(0)}}}"
        if chance < 0.08:
            return rf"\overset{{{self._letter()}}}{{=}}"
        if chance < 0.1:
            return r"\overset{\text{def}}{=}"
        return self._pick(_RELATIONS)

    def _braced(self, depth: int) -> str:
        """A term with a brace, an arrow or a line over or under it."""
        inside, chance = self._terms(depth - 1, most=2), self._random.random()
        if chance < 0.5:
            return rf"\underbrace{{{inside}}}_{{{self._script(1)}}}"
        if chance < 0.8:
            return rf"\overbrace{{{inside}}}^{{{self._script(1)}}}"
        return rf"\{self._pick(['underline', 'overrightarrow'])}{{{self._letter()}{self._letter()}}}"

    def _letter(self) -> str:
        return self._pick(_LETTERS if self._random.random() < 0.7 else _GREEK)

    def _base(self) -> str:
        chance = self._random.random()
        if chance < 0.1:
            return rf"{self._pick(_ACCENTS)}{{{self._letter()}}}"
        if chance < 0.18:
            return rf"{self._pick(_ALPHABETS)}{{{self._random.choice('ABCDEFGHLMNPRSTUV')}}}"
        return self._letter()

    def _scripts(self, depth: int) -> str:
        chance = self._random.random()
        below = f"_{{{self._script(depth)}}}" if chance < 0.7 else ""
        return below + (f"^{{{self._script(depth)}}}" if chance > 0.4 or not below else "")

    def _script(self, depth: int) -> str:
        chance = self._random.random()
        if chance < 0.5:
            return self._letter() if chance < 0.3 else str(self._random.randint(0, 20))
        if chance < 0.6 and depth > 1:
            return rf"\frac{{{self._letter()}}}{{{self._random.randint(2, 9)}}}"
        if chance < 0.75:
            return self._letter() + f"_{{{self._letter()}}}"
        return self._terms(0)

    def _operator(self, depth: int) -> str:
        sign, letter = self._pick(_OPERATORS), self._letter()
        if sign in (r"\lim", r"\max", r"\sup"):
            limit = f"{letter}{self._random.choice(_TOWARDS)}{self._terms(0)}"
            return rf"{sign}_{{{limit}}} {self._term(depth - 1)}"
        low = rf"{letter}={self._random.randint(0, 2)}" if sign != r"\int" else self._script(1)
        high = rf"^{{{self._terms(0)}}}" if self._random.random() < 0.7 else ""
        return rf"{sign}_{{{low}}}{high} {self._term(depth - 1)}"

    def _bracketed(self, depth: int) -> str:
        opening, closing = self._random.choice(_BRACKETS)
        scripts = self._scripts(0) if self._random.random() < 0.3 else ""
        return rf"\left{opening} {self._terms(depth - 1)} \right{closing}{scripts}"

    def _matrix(self, depth: int) -> str:
        kind = self._random.choice(("pmatrix", "bmatrix", "vmatrix"))
        columns = self._random.randint(2, 3)
        rows = [
            "&".join(self._term(min(depth - 1, 1)) for _ in range(columns)) for _ in range(self._random.randint(2, 3))
        ]
        return _environment(kind, rows)


def _environment(name: str, rows: Sequence[str]) -> str:
    return rf"\begin{{{name}}}" + r"\\".join(rows) + rf"\end{{{name}}}"


def make(folder: Path, pages: int, seed: int, typesetters: Sequence[str] = BASE, node: Path | None = None) -> None:
    """Sets ``pages`` pages into ``folder``, by each of ``typesetters`` in turn; ``node`` is npm's ``node_modules``.
    Raises as :func:`benchmarks.formulas.typesetting.typeset` does."""
    for name in ("pdfs", "ground_truth"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for number in range(pages):
        maker = Maker(1000 * seed + number)
        name = typesetters[number % len(typesetters)]
        page = [maker.paragraph() for _ in range(7)]
        truth = [
            {"type": f"{kind}-formula", "data": formula}
            for one in page
            for kind, formula in (*(("inline", inline) for inline in one.inline), ("display", one.displayed))
        ]
        file = f"{number:03d}-{name}"
        (folder / "ground_truth" / f"{file}.json").write_text(json.dumps(truth, indent=1), encoding="utf-8")
        with tempfile.TemporaryDirectory() as work:
            pdf = typeset(page, name, 10 + number % 3, Path(work), node)
            (folder / "pdfs" / f"{file}.pdf").write_bytes(pdf)
