"""How often hyphens at line ends are undone rightly: texts by people are set in lines, and their hyphens told apart.

Paragraphs of HTML and plain text are set in columns of varied width. A word that does not fit is cut at one of its own
hyphens, or where the language's patterns (pyphen) allow; both are known, so each decision is right or wrong.
"""

from __future__ import annotations

import gzip
import importlib.util
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

from docspec.core import UsageError

Joined = Callable[[str, str, str], tuple[str, str]]
"""As :func:`docspec.dialects.hyphens.joined`: the two lines and the text around them."""

WIDTHS = (32, 64)
"""Least and most characters of a line."""
PAGE = 3000
"""Characters of a page."""
_UNBROKEN = "\u2011"
_BLOCK_NAMES = "p li dd dt td th div h1 h2 h3 h4 h5 h6 body blockquote pre table ul ol dl section"
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_CODE = frozenset(("code", "tt", "kbd", "samp", "var"))
_LEFT_OUT = frozenset(("pre", "script", "style", "nav"))
_CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_LEAST_AFTER = {"en": 3, "fr": 3}
"""Least letters after a cut, as TeX has them; others have two."""
_WORD = re.compile(r"([^\W\d_]+(?:-[^\W\d_]+)*)([.,;:!?)\]»”\"']*)")


@dataclass(frozen=True, slots=True)
class Cut:
    """A word that a line's end cuts: the lines' texts, the ``paragraph`` and the ``page`` as lines, and whether the
    hyphen belongs to the word."""

    left: str
    right: str
    paragraph: str
    page: str
    kept: bool

    @property
    def word(self) -> str:
        """The two parts with their hyphen, for a list."""
        return f"{self.left.split()[-1]}|{self.right.split()[0]}"


class _Paragraphs(HTMLParser):
    """Paragraphs of HTML; program text is left out, names of code are never cut."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._open: list[str] = []
        self._text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _BLOCKS:
            self.end()
        if tag in _LEFT_OUT or tag in _CODE:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in _BLOCKS:
            self.end()
        if tag in self._open:
            self._open.remove(tag)

    def handle_data(self, data: str) -> None:
        if any(tag in _LEFT_OUT for tag in self._open):
            return
        self._text += data.replace("-", _UNBROKEN) if self._open else data

    def end(self) -> None:
        self.found.append(" ".join(self._text.split()))
        self._text = ""


def paragraphs(path: Path) -> list[str]:
    """The paragraphs of a file that are long enough to be broken; words that its own lines cut are left out."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    text = data.decode("utf-8", "replace").replace("\u00ad", "")
    if ".html" in path.name:
        reader = _Paragraphs()
        reader.feed(text)
        reader.end()
        found = reader.found
    else:
        parts = re.split(r"\n\s*\n", re.sub(r"\S+-\n\s*\S+", "", text))
        found = [" ".join(part.split()) for part in parts]
    return [one for one in found if len(one) > WIDTHS[1] and "\ufffd" not in one]


def files_of(folder: Path) -> list[Path]:
    """The texts of ``folder``, in order."""
    return sorted(
        path for end in ("html", "html.gz", "txt", "txt.gz") for path in folder.rglob(f"*.{end}") if path.is_file()
    )


def cuts(folder: Path, language: str, seed: int = 1) -> Iterator[Cut]:
    """Every word that is cut where the texts of ``folder`` are set in lines; repeated paragraphs are set once."""
    try:
        from pyphen import Pyphen
    except ModuleNotFoundError as error:
        raise UsageError("benchmarks hyphens needs pyphen: pip install pyphen") from error
    positions = Pyphen(lang=language, right=_LEAST_AFTER.get(language, 2)).positions
    chance = random.Random(seed)
    known: set[str] = set()
    for path in files_of(folder):
        pages: list[list[list[tuple[str, bool | None]]]] = [[]]
        for text in paragraphs(path):
            if text in known:
                continue
            known.add(text)
            pages[-1].append(_lines(text, chance.randint(*WIDTHS), positions, chance))
            if sum(len(line) for part in pages[-1] for line, _ in part) > PAGE:
                pages.append([])
        for page in pages:
            around = "\n\n".join(_text(part) for part in page)
            for part in page:
                own = _text(part)
                for (line, kept), (following, _) in pairwise(part):
                    if kept is not None:
                        yield Cut(line, following, own, around, kept)


def decided(joined: Joined, cut: Cut, context: str) -> bool | None:
    """Whether ``joined`` keeps the hyphen; ``None`` if it takes it for a suspended one."""
    left, glue = joined(cut.left, cut.right, context)
    return None if glue else left.endswith("-")


def code_of(path: Path) -> Joined:
    """The function ``joined`` of another ``hyphens.py``."""
    spec = importlib.util.spec_from_file_location("other_hyphens", path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Joined = module.joined
    return found


def _text(lines: Sequence[tuple[str, bool | None]]) -> str:
    return "\n".join(line for line, _ in lines).replace(_UNBROKEN, "-")


def _lines(
    text: str, width: int, positions: Callable[[str], list[int]], chance: random.Random
) -> list[tuple[str, bool | None]]:
    """``text`` in lines, each with whether a hyphen at its end belongs to its word (``None``: no cut word)."""
    lines: list[tuple[str, bool | None]] = []
    line = ""
    for whole in text.split():
        word = whole
        while len(line) + len(word) >= width:
            first, rest, kept = _cut(word, width - len(line), positions, chance)
            lines.append((f"{line} {first}".strip(), kept))
            line, word = "", rest
            if kept is None:
                break
        line = f"{line} {word}".strip()
    return [(one.replace(_UNBROKEN, "-"), kept) for one, kept in [*lines, (line, None)]]


def _cut(
    word: str, room: int, positions: Callable[[str], list[int]], chance: random.Random
) -> tuple[str, str, bool | None]:
    """What of ``word`` stays on the line, what goes to the next, and whether the hyphen is the word's own."""
    start = len(word) - len(word.lstrip("([«“\"'„"))
    match = _WORD.fullmatch(word, start)
    if match is None or _CAMEL.search(word):
        return "", word, None
    places: list[tuple[int, bool]] = []
    at = start
    for part in match[1].split("-"):
        places += [(at + place, False) for place in positions(part)]
        at += len(part) + 1
        places.append((at, True))
    fitting = [(place, own) for place, own in places[:-1] if place < room]
    if not fitting:
        return "", word, None
    place, own = chance.choice([one for one in fitting if one[1]] or fitting)  # the word's own hyphen is taken first
    return word[:place] + ("" if own else "-"), word[place:], own
