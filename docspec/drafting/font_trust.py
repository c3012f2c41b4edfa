"""Judges the fonts of a text layer one by one: whether their table of Unicodes tells what they print.

A table may be wrong in single places: spaces told as ``#``, hyphens as ``=``. Words look sound then, and lines are much
like the print. Of each font that brings a table, pieces of a few words are read from the print, those with odd signs
first; a sign that is never read as it is told is wrong.

Fonts whose own programs say the same are not read: an embedded font has a table of its own from characters to glyphs
(in Type 1 fonts: the names of the glyphs), and a font that is not embedded is drawn by the characters of its encoding.
Where that agrees with the text of the file, two witnesses agree. Subsets may have no such table any more; the order of
the glyphs is the other witness then (:func:`in_order`): fonts keep them in the order of the code or of their names, and
a table that exchanged some of them would break it.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any

from docspec.core import BBox
from docspec.documents.mupdf import mupdf
from docspec.documents.painting import layer_of
from docspec.drafting.lines import TextLine
from docspec.drafting.recogniser import Recogniser
from docspec.drafting.right_to_left import has_right_to_left

LEAST_LETTERS = 60
"""Characters of a font on a page below which it is not judged there."""
PIECE, MOST_PIECES = 30, 4
"""Characters of a piece, which ends with a word, and most pieces of a font that are read."""
MIN_LIKENESS, MAIN = 0.6, 0.3
"""Least likeness of a font with that share of the page's characters."""
TWICE, THRICE = 2, 3
"""Times that a sign, or a letter or figure, is to be seen before it is called wrong; others may be misread once."""
READABLE = 0.95
"""Least share of a piece's characters that the recogniser writes."""
CERTAIN = 0.85
"""Least confidence of a reading that counts."""

_ODD = re.compile(r"[#=<>@{}\[\]\\+&$%/]")
_ALIKE = frozenset("lI1|0OoQSs5B8ZzcCvVwWxXuUpPkK")
"""Letters and figures that a reading mistakes for others, or for their capitals."""
_SAME = str.maketrans({"–": "-", "—": "-", "‐": "-", "‑": "-", "−": "-", "“": '"', "”": '"', "’": "'", "‘": "'"})
LEADER = re.compile(r"([.·_=–—-])(?:\s?\1){2,}")
"""Dots or lines that lead to a number: no recogniser counts them."""
_SUBSET = re.compile(r"^[A-Z]{6}\+")

Picture = Callable[[Any, TextLine], Any]
"""The picture of a line on a page."""


@dataclass(slots=True)
class FontJudge:
    """Remembers which fonts of a document are wrong (``None``: sound), by all names that the page has for them."""

    picture: Picture
    _source: str = ""
    _known: dict[tuple[str, frozenset[str]], str | None] = field(default_factory=dict)

    def wrong(
        self, page: Any, source: str, recogniser: Recogniser, proven: Mapping[str, Collection[str]]
    ) -> str | None:
        """Why a font of a ``pymupdf.Page`` of the document ``source`` does not tell what it prints, as ``recogniser``
        reads it. The signs ``proven`` for a font, by its bare name, need not be read."""
        if source != self._source:
            self._source, self._known = source, {}
        tables, others = _fonts_of(page)
        if not tables:
            return None
        spans = _spans_by_font(page)
        total = sum(len(text) for own in spans.values() for _, text in own)
        words: list[tuple[Any, ...]] | None = None
        for name, own in spans.items():
            key = (name, _called(name, tables) or (frozenset() if _called(name, others) else tables))
            letters = sum(len(text) for _, text in own)
            if not key[1] or letters < LEAST_LETTERS:
                continue
            if key not in self._known:
                known = proven.get(bare(name), ())
                if known and not _open_signs((text for _, text in own), known):
                    continue
                words = layer_of(page, "words") if words is None else words
                self._known[key] = self._why(page, own, words, letters > MAIN * total, recogniser, known)
            if why := self._known[key]:
                return f"font {name} {why}"
        return None

    def _why(
        self,
        page: Any,
        spans: Sequence[tuple[BBox, str]],
        words: Sequence[tuple[Any, ...]],
        is_main: bool,
        recogniser: Recogniser,
        proven: Collection[str],
    ) -> str | None:
        pieces = list(_pieces(spans, words))
        wanted = []
        for box, text in dict.fromkeys(pieces):  # the span with most odd signs is often the longest one, too
            letters = text.replace(" ", "")
            if has_right_to_left(letters):  # MuPDF tells its words in no certain order
                continue
            if sum(letter in recogniser.alphabet for letter in letters) >= READABLE * len(letters):
                wanted.append((box, text))
        open_signs = _open_signs((piece[1] for piece in pieces if piece in wanted), proven)
        known: list[tuple[str, str]] = []
        while wanted:
            piece = max(wanted, key=lambda piece: len(open_signs.intersection(piece[1])))
            if known and open_signs.isdisjoint(piece[1]):
                break  # the others can say no more
            wanted.remove(piece)
            [(reading, sure)] = recogniser.read_lines([self.picture(page, TextLine(*piece))])
            if sure >= CERTAIN:
                known += pieces.count(piece) * [(_plain(piece[1]), _plain(reading))]
                open_signs -= _as_told(*known[-1])
        return what_differs(known, is_main)


def what_differs(pairs: Iterable[tuple[str, str]], is_main: bool = True) -> str | None:
    """What is systematically other in the second texts, which were read, than in the first, which the file tells. Of
    fonts that are not the ``is_main`` one of their page single signs alone count: nobody can read some ornate ones."""
    from rapidfuzz.distance import Levenshtein

    signs: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    instead: dict[str, Counter[str]] = {}
    likeness = []
    for text, read in pairs:
        likeness.append(Levenshtein.normalized_similarity(text.replace(" ", ""), read.replace(" ", "")))
        signs.update(text)
        for step in Levenshtein.opcodes(text, read):
            if step.tag in ("replace", "delete"):
                printed = read[step.dest_start : step.dest_end].ljust(step.src_end - step.src_start)
                for sign, other in zip(text[step.src_start : step.src_end], printed, strict=False):
                    missed[sign] += 1
                    instead.setdefault(sign, Counter())[other] += 1
    if is_main and signs.total() >= PIECE and sum(likeness) / len(likeness) < MIN_LIKENESS:
        return f"differs from the print (likeness {sum(likeness) / len(likeness):.2f})"
    for sign, count in signs.items():
        seldom = missed.total() - missed[sign] < 0.2 * (signs.total() - count)  # the reading is good elsewhere
        if seldom and 0 < _least(sign) <= count and missed[sign] == count:
            return f"tells '{sign}' for what is printed as '{instead[sign].most_common(1)[0][0]}'"
    return None


def _least(sign: str) -> int:
    """Times that ``sign`` is to be seen before it is called wrong; 0 for those that never are."""
    if sign in _ALIKE:
        return 0
    return TWICE if _ODD.match(sign) else THRICE if sign.isascii() and sign.isalnum() else 0


def _open_signs(texts: Iterable[str], proven: Collection[str]) -> set[str]:
    """The signs of ``texts`` that are there often enough to be called wrong, but for the ``proven`` ones."""
    often = Counter(sign for text in texts for sign in _plain(text))
    return {sign for sign, count in often.items() if 0 < _least(sign) <= count}.difference(proven)


def _as_told(text: str, read: str) -> set[str]:
    """The signs of ``text`` that are once in ``read`` in their place."""
    from rapidfuzz.distance import Levenshtein

    steps = Levenshtein.opcodes(text, read)
    return {sign for step in steps if step.tag == "equal" for sign in text[step.src_start : step.src_end]}


def _fonts_of(page: Any) -> tuple[frozenset[str], frozenset[str]]:
    """The names of the fonts of a page that bring a table of Unicodes, and of those that do not."""
    names: tuple[set[str], set[str]] = set(), set()
    for number, _, _, name, *_ in page.get_fonts(full=True):
        has_table = number > 0 and page.parent.xref_get_key(number, "ToUnicode")[0] == "xref"
        names[0 if has_table else 1].add(name)
    return frozenset(names[0]), frozenset(names[1])


def _called(name: str, fonts: frozenset[str]) -> frozenset[str]:
    """Those of ``fonts`` that text calls ``name``: MuPDF takes the name from the font's own file."""
    short = bare(name)
    return frozenset(font for font in fonts if bare(font).startswith(short) or short.startswith(bare(font)))


def _spans_by_font(page: Any) -> dict[str, list[tuple[BBox, str]]]:
    """Boxes and texts of what stands level on a page, by the name of its font."""
    spans: dict[str, list[tuple[BBox, str]]] = {}
    for block in layer_of(page, "dict")["blocks"]:
        for line in block.get("lines", ()):
            if abs(line["dir"][1]) < 0.01 and line["dir"][0] > 0:
                for span in line["spans"]:
                    name = _SUBSET.sub("", span["font"])
                    spans.setdefault(name, []).append((BBox(*span["bbox"]), span["text"]))
    return spans


def _pieces(spans: Sequence[tuple[BBox, str]], words: Sequence[tuple[Any, ...]]) -> Iterator[tuple[BBox, str]]:
    """Runs of words of ``spans``: with the odd signs that stand there often, and of the two longest spans."""
    odd = Counter(sign for _, text in spans for sign in _ODD.findall(text))
    wanted: list[tuple[BBox, str, str]] = []
    for sign, count in odd.most_common(2):
        if count >= TWICE:
            holders = sorted((one for one in spans if sign in one[1]), key=lambda one: -one[1].count(sign))
            wanted += [(box, text, sign) for box, text in holders[:TWICE]]
    longest = sorted(spans, key=lambda one: -len(one[1]))
    wanted = [*wanted[: MOST_PIECES - 2], *((box, text, "") for box, text in longest[:2])]
    for box, _, sign in wanted:
        own = sorted((word for word in words if box.has_center_of(BBox(*word[:4]))), key=lambda word: word[0])
        start = next((at for at, word in enumerate(own) if sign and sign in word[4]), 0)
        text, end = "", start
        while end < len(own) and len(text) < PIECE:
            text, end = f"{text} {own[end][4]}".strip(), end + 1
        if text:
            yield BBox.union(BBox(*word[:4]) for word in own[start:end]), text


def _plain(text: str) -> str:
    return " ".join(LEADER.sub(" ", unicodedata.normalize("NFKC", text).translate(_SAME)).split())


AGREED = 0.95
"""Least share of a font's characters that its program has at the glyphs that are drawn for them. Those of ASCII must
all be there; others, such as hyphens and dots, have several codes."""

LEAST_IN_ORDER, LEAST_OF_KIND = 12, 6
"""Fewest signs of ASCII, and of capitals, small letters or figures alone, from which on their order says something."""

TALL, HIGH = 1.5, 0.15
"""How many times as tall as the sign it is told for a glyph may be, and how far above or below it, in ems."""

CONTINUED = -1
"""The glyph of the further characters of a ligature."""

_NAMES: Mapping[str, str] = dict(
    re.findall(
        r"(\S)\s+(\w+)",
        r"""
        ! exclam " quotedbl # numbersign $ dollar % percent & ampersand ' quotesingle ( parenleft ) parenright *
        asterisk + plus , comma - hyphen . period / slash 0 zero 1 one 2 two 3 three 4 four 5 five 6 six 7 seven 8
        eight 9 nine : colon ; semicolon < less = equal > greater ? question @ at [ bracketleft \ backslash ]
        bracketright ^ asciicircum _ underscore ` grave { braceleft | bar } braceright ~ asciitilde
        """,
    )
)
"""Adobe's names of the signs of ASCII, by which some fonts sort their glyphs."""

Glyphs = Counter[tuple[int, int]]
"""How often a font draws each pair of a character and a glyph."""


@dataclass(slots=True)
class FontPrograms:
    """Opens the fonts of one document, each once."""

    _source: str = ""
    _programs: dict[int, Any] = field(default_factory=dict)

    def proven(self, page: Any, source: str, trace: Sequence[dict[str, Any]]) -> Mapping[str, frozenset[str]]:
        """The characters of each font of a ``pymupdf.Page`` of the document ``source``, by the font's name in the
        page's text ``trace``, of which the font's own program says the same as the file."""
        if source != self._source:
            self._source, self._programs = source, {}
        fonts = [(number, kind, bare(name)) for number, kind, _, name, *_ in page.get_fonts(full=True)]
        proven = {}
        for name, glyphs in _glyphs_of(trace).items():
            own = bare(name)
            named = [font for font in fonts if font[2].startswith(own) or own.startswith(font[2])]
            signs = (self._signs(page.parent, number, kind, glyphs) for number, kind, _ in named)
            proven[name] = max(signs, key=len, default=frozenset[str]())
            if len(proven[name]) == len({code for code, _ in glyphs}):  # and those of its ligatures
                spans = (span["chars"] for span in trace if span["font"] == name)
                proven[name] |= {chr(code) for chars in spans for code, *_ in chars}
        return proven

    def _signs(self, document: Any, number: int, kind: str, glyphs: Glyphs) -> frozenset[str]:
        """The characters of ``glyphs`` that the font ``number`` of a ``document`` proves."""
        every = frozenset(chr(code) for code, _ in glyphs)
        if kind == "n/a" and number > 0 and document.xref_get_key(number, "ToUnicode")[0] == "null":
            return every  # not embedded, without a table of Unicodes: text and print come from one encoding
        ordered = in_order(glyphs)
        if kind == "n/a" or len(ordered) == len(every):
            return ordered
        if number not in self._programs:
            self._programs[number] = _program(document, number)
        program = self._programs[number]
        if program is None:
            return ordered
        other = [(code, count) for (code, glyph), count in glyphs.items() if program.has_glyph(code) != glyph]
        missed = sum(count for _, count in other)
        if missed <= (1 - AGREED) * glyphs.total() and not any(0x20 < code < 0x7F for code, _ in other):
            return every
        odd = (pair for pair in glyphs if ordered and _ODD.match(chr(pair[0])))
        return ordered | {chr(code) for code, glyph in odd if _is_drawn_like(program, glyph, chr(code))}


def in_order(glyphs: Glyphs) -> frozenset[str]:
    """The characters that the numbers of their glyphs prove: all, where all signs of ASCII keep one distance from
    their codes, or are in the alphabetical order of their names, as TeX's fonts are; else the kinds (capitals, small
    letters, figures) that are in order each. All signs may be told shifted then: their words are to be those of a
    language."""
    pairs = sorted((code, glyph) for code, glyph in glyphs if 0x20 < code < 0x7F)
    named = sorted(((_NAMES.get(chr(code), chr(code).lower()), code), glyph) for code, glyph in pairs)
    if len(pairs) >= LEAST_IN_ORDER and (len({glyph - code for code, glyph in pairs}) == 1 or _increase(named)):
        return frozenset(chr(code) for code, _ in glyphs)
    kinds = ([pair for pair in pairs if kind(chr(pair[0]))] for kind in (str.isdigit, str.isupper, str.islower))
    ordered = (kind for kind in kinds if len(kind) >= LEAST_OF_KIND and _increase(kind))
    return frozenset(chr(code) for kind in ordered for code, _ in kind)


def _increase(pairs: Sequence[tuple[Any, int]]) -> bool:
    """Whether the second numbers of sorted ``pairs`` increase with the first; none of these has two."""
    return all(one[0] < two[0] and one[1] < two[1] for one, two in pairwise(pairs))


def _is_drawn_like(program: Any, glyph: int, sign: str) -> bool:
    """Whether a ``glyph`` of a font is about as tall and stands as high as the ``sign`` of Courier or Helvetica: a
    space and a hyphen told as ``#`` and ``=`` do not."""
    own = _extent(program, glyph)
    for usual in _usual_extents(sign):
        tall, wanted = own[1] - own[0], usual[1] - usual[0]
        if wanted / TALL <= tall <= wanted * TALL and abs(sum(own) - sum(usual)) / 2 <= HIGH:
            return True
    return False


@cache
def _usual_extents(sign: str) -> tuple[tuple[float, float], ...]:
    return tuple(_extent(font, font.has_glyph(ord(sign))) for font in map(mupdf().Font, ("cour", "helv")))


def _extent(program: Any, glyph: int) -> tuple[float, float]:
    """From where to where above the baseline a ``glyph`` of a ``pymupdf.Font`` has its outline, in ems."""
    native = mupdf().mupdf
    path = native.fz_outline_glyph(program.this, glyph, native.FzMatrix())
    box = native.fz_bound_path(path, native.FzStrokeState(None), native.FzMatrix())
    return box.y0, box.y1


def bare(name: str) -> str:
    """The letters and digits of a font's ``name``, without the mark of a subset."""
    return re.sub(r"[^a-z0-9]", "", _SUBSET.sub("", name).lower())


def _program(document: Any, number: int) -> Any:
    """The font ``number`` of a ``document`` as a ``pymupdf.Font``; ``None`` if it cannot be opened."""
    try:
        return mupdf().Font(fontbuffer=document.extract_font(number)[3])
    except Exception:  # damaged, or of a kind that is no file
        return None


def _glyphs_of(trace: Iterable[dict[str, Any]]) -> dict[str, Glyphs]:
    """What each font of a ``trace`` draws, without spaces and ligatures."""
    glyphs: dict[str, Glyphs] = {}
    for span in trace:
        own = glyphs.setdefault(span["font"], Counter())
        pairs = [(code, glyph) for code, glyph, *_ in span["chars"]]
        for pair, following in zip(pairs, [*pairs[1:], (0, 0)], strict=True):
            if CONTINUED not in (pair[1], following[1]) and not chr(pair[0]).isspace():
                own[pair] += 1
    return glyphs
