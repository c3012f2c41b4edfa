"""Judges whether a PDF's text layer agrees with the visible page.

Fonts may be encoded so that the text is gibberish, scans may carry the hidden output of a bad recogniser,
and text may be invisible. Cheap statistics come first; they are enough where they leave no doubt, or where the programs
of the fonts say the same as the text. Else pieces of a few lines are read from the pixels and compared, once for every
set of fonts in a document; of hidden text whole lines are compared, on every page.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from random import Random
from typing import Any

import numpy as np

from docspec.core import BBox, PageImage
from docspec.core.scripts import scripts_of
from docspec.documents.mupdf import mupdf
from docspec.documents.painting import boxes_of, images_of, layer_of, text_of, trace_of
from docspec.drafting.font_trust import AGREED, LEADER, FontJudge, FontPrograms, bare
from docspec.drafting.lines import TextLine
from docspec.drafting.page_lines import page_lines
from docspec.drafting.recogniser import PageReader, Recogniser
from docspec.drafting.repair import is_known, letters_untold, repair
from docspec.drafting.right_to_left import has_right_to_left
from docspec.drafting.straightening import turned_image

MIN_CHARACTERS = 8
MIN_WORDS = 20
MIN_VOWEL_SHARE = 0.85  # measured: shifted fonts .37-.56, sound text of any European language >= .95
MAX_FOREIGN = 0.02  # of letters: a name or two of another language in a text of ASCII
NOT_SHIFTED = 0.7  # of many words: names, codes and commands are among them
CERTAIN_WORDS, CERTAIN_VOWEL_SHARE = 80, 0.95  # sound from here on: shifted fonts lie five deviations below
FEW_BAD = 0.002  # a sign or two on a page
COVERED = 0.3
"""From this share of the page covered by pictures on, the text may be a recogniser's, written below them."""
MAX_BAD_SHARE = 0.05
MAX_UNTOLD_SHARE = 0.01  # letters within words: one in a hundred is a hole in one word of fifteen
MIN_LIKENESS = 0.6  # measured: sound text >= .98, shifted fonts .01-.04
MIN_LIKENESS_HIDDEN = 0.75  # hidden recognition is wrong here and there: two files have .88 and .97
MOST_WORDS = 1500  # whose places are compared
SPOT_LINES = 4
SPOT_LINES_HIDDEN = 8
MIN_IMAGE_SHARE = 0.6
MAX_STAMP = 200  # characters of visible text on a scan that are still a stamp or a running head
LINE_PIXELS = 32.0
COVERING = 5
"""Words of other lines in the middle of the box of a word, in the median, from which on the places of words are wrong:
bitmapped fonts may tell boxes ten times as high as their letters."""
UNDRAWN = 0.3
"""Least share of a text that damaged fonts draw as boxes for the print to be no witness."""
PIECE = 20
"""Characters of a visible line that are read: the time grows with them."""

_WORD = re.compile(r"[A-Za-zÀ-ɏ]{4,}")
_VOWELS = frozenset("aeiouyAEIOUYàáâãäåæèéêëìíîïòóôõöøùúûüýÿœÀÁÂÃÄÅÆÈÉÊËÌÍÎÏÒÓÔÕÖØÙÚÛÜÝŒ")
_SPACE = re.compile(r"\s+")

Span = tuple[str, bool, int]
"""The font of a piece of text, whether it is invisible, and its length."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """``trusted`` and a readable ``reason``. The shares are 0..1; ``None`` with too little text to
    measure. ``is_stamp``: not trusted only because it is a few painted words over a picture of most of the page.
    """

    trusted: bool
    reason: str
    characters: int = 0
    vowel_share: float | None = None
    bad_share: float = 0.0
    untold_share: float = 0.0
    hidden_share: float = 0.0
    likeness: float | None = None
    words: int = 0
    foreign_share: float = 0.0
    is_stamp: bool = False

    @property
    def is_hidden(self) -> bool:
        """Whether at least half of the text is not painted."""
        return self.hidden_share >= 0.5

    @property
    def reads_like_language(self) -> bool:
        """Whether the words are like those of a European language: fonts that draw other letters under the names of
        Latin ones, as old ones of Hindi do, have no such words."""
        return self.vowel_share is not None and self.vowel_share >= CERTAIN_VOWEL_SHARE and self.bad_share <= FEW_BAD

    @property
    def has_words(self) -> bool:
        """Whether the text is that of a language, with names, codes or commands in it; no shifted font is like it.
        Among letters that are not of ASCII there may be those of an old font of another script."""
        many = self.words >= CERTAIN_WORDS and self.vowel_share is not None and self.vowel_share >= NOT_SHIFTED
        return (many and self.foreign_share <= MAX_FOREIGN) or self.reads_like_language

    @property
    def is_gibberish(self) -> bool:
        """Whether too few words have a vowel: those of a wrong encoding, or abbreviations, codes and words blacked out
        by letters, which the print tells apart."""
        return self.vowel_share is not None and self.vowel_share < MIN_VOWEL_SHARE

    @property
    def gibberish(self) -> str:
        """What is said of such words."""
        return f"text layer is gibberish (vowels in {self.vowel_share:.0%} of its words)"

    @property
    def leaves_no_doubt(self) -> bool:
        """Whether the statistics alone tell that the text is one of a European language."""
        return self.words >= CERTAIN_WORDS and self.reads_like_language and not self.hidden_share


class TrustJudge:
    """Judges text layers. It remembers which fonts of which document were found sound.

    Without a ``recogniser`` only the statistics are used, and hidden text over a scan is not trusted.
    """

    def __init__(self, recogniser: PageReader | None = None) -> None:
        self._recogniser = recogniser
        self._sound: tuple[str, frozenset[str]] = ("", frozenset())
        self._fonts = FontJudge(picture_of)
        self._programs = FontPrograms()

    def judge(self, page: PageImage) -> Verdict:
        """The verdict on ``page``; an image input has no text layer to trust."""
        if page.pdf_page is None:
            return Verdict(False, "an image has no text layer")
        raw = text_of(page.pdf_page)
        text = _SPACE.sub("", raw)
        if len(text) < MIN_CHARACTERS:
            return Verdict(False, "no text layer", len(text))
        trace = trace_of(page.pdf_page)
        spans = _spans(page.pdf_page, trace)
        words = len(_WORD.findall(raw))
        shares = vowel_share(raw), bad_share(text), untold_share(raw), hidden_share(spans)
        letters = [letter for letter in text if letter.isalpha()]
        foreign = sum(not letter.isascii() for letter in letters) / max(len(letters), 1)
        verdict = Verdict(True, "", len(text), *shares, words=words, foreign_share=foreign)
        reason = _why_bad(verdict)
        if not reason and _lies_over(layer_of(page.pdf_page, "words")):
            reason = "text layer whose words lie over each other"
        scanned = image_share(page.pdf_page) > MIN_IMAGE_SHARE
        if not reason and verdict.is_gibberish and (scanned or self._recogniser is None):
            reason = verdict.gibberish  # nobody asks the print
        if reason:
            return replace(verdict, trusted=False, reason=reason)
        if scanned:
            if not verdict.is_hidden and verdict.characters < MAX_STAMP:
                reason = f"scan with only {verdict.characters} characters of text"
                return replace(verdict, trusted=False, reason=reason, is_stamp=True)
            if verdict.is_hidden and self._recogniser is None:
                return replace(verdict, trusted=False, reason="hidden text over a scan, not checked")
        return self._checked(page, verdict, spans, trace)

    def _checked(
        self, page: PageImage, verdict: Verdict, spans: Sequence[Span], trace: Sequence[dict[str, Any]]
    ) -> Verdict:
        fonts = frozenset(font for font, _, _ in spans)
        hidden = verdict.is_hidden
        source, known = self._sound
        known = known if source == page.source else frozenset()
        if self._recogniser is None:
            return replace(verdict, reason="sound text layer")
        if not (hidden or verdict.is_gibberish or verdict.vowel_share is None) and undrawn_share(trace) > UNDRAWN:
            return replace(verdict, reason="sound text layer, by its words alone: a damaged font draws boxes")
        recogniser = self._recogniser.of_page(page)
        proven: Mapping[str, frozenset[str]] = {}
        if verdict.has_words and not verdict.hidden_share:
            proven = self._programs.proven(page.pdf_page, page.source, trace)
        by_font = {bare(name): signs for name, signs in proven.items()}
        if not hidden and (wrong := self._fonts.wrong(page.pdf_page, page.source, recogniser, by_font)):
            return replace(verdict, trusted=False, reason=wrong)
        if not hidden and fonts <= known:
            return replace(verdict, reason="sound text layer, fonts checked before")
        agreed = verdict.leaves_no_doubt or _are_proven(trace, proven)
        if agreed and sum(image_shares(page.pdf_page)) < COVERED:
            self._sound = (page.source, known | fonts)
            by = "words" if verdict.leaves_no_doubt else "words and fonts"
            return replace(verdict, reason=f"sound text layer, by its {by}")
        lines, piece = (SPOT_LINES_HIDDEN, None) if hidden else (SPOT_LINES, PIECE)
        likeness = spot_check(page, recogniser, lines, piece)
        kind = "hidden text" if hidden else "text layer"
        if likeness is None:
            if hidden:
                why = "hidden text over a scan, in a script that cannot be checked"
                return replace(verdict, trusted=False, reason=why)
            if verdict.is_gibberish:
                return replace(verdict, trusted=False, reason=verdict.gibberish)
            return replace(verdict, reason="sound text layer, not checkable by reading")
        verdict = replace(verdict, likeness=likeness)
        if likeness < (MIN_LIKENESS_HIDDEN if hidden else MIN_LIKENESS):
            why = f"{kind} differs from the print (likeness {likeness:.2f})"
            return replace(verdict, trusted=False, reason=why)
        self._sound = (page.source, known | fonts)
        return replace(verdict, reason=f"sound {kind} (likeness {likeness:.2f})")


def _why_bad(seen: Verdict) -> str:
    if seen.bad_share > MAX_BAD_SHARE:
        return f"text layer of unknown characters ({seen.bad_share:.0%})"
    if seen.untold_share >= MAX_UNTOLD_SHARE:
        return f"text layer does not tell {seen.untold_share:.0%} of its letters"
    return ""


def _lies_over(words: Sequence[tuple[Any, ...]]) -> bool:
    """Whether the boxes of most ``words`` (``x0, y0, x1, y1, text, ...``) hold the middles of words of other lines."""
    boxes = np.array([word[:4] for word in words[:MOST_WORDS]], np.float32).reshape(-1, 4)
    if len(boxes) < MIN_WORDS:
        return False
    x0, y0, x1, y1 = boxes.T
    middles, quarter = (y0 + y1) / 2, (y1 - y0) / 4
    shared = np.minimum(x1[:, None], x1) - np.maximum(x0[:, None], x0) > 0
    within = ((y0 + quarter)[:, None] < middles) & (middles < (y1 - quarter)[:, None])
    return bool(np.median((within & shared).sum(axis=1) - 1) >= COVERING)


def is_all_there_is(page: PageImage, verdict: Verdict, alphabet: frozenset[str]) -> bool:
    """Whether a text layer with ``verdict``, sound or not, tells more than recognition with that ``alphabet`` could: it
    is no stamp on a scan, and most of its letters, or more than it does not tell, are of scripts that the recogniser
    lacks."""
    if page.pdf_page is None or (image_share(page.pdf_page) > MIN_IMAGE_SHARE and not verdict.is_hidden):
        return False
    text = unicodedata.normalize("NFKC", text_of(page.pdf_page))
    unknown = scripts_of("".join(letter for letter in text if letter not in alphabet)).total()
    more = verdict.bad_share > MAX_BAD_SHARE and unknown > verdict.bad_share * verdict.characters
    return unknown >= MIN_CHARACTERS and (more or 2 * unknown > scripts_of(text).total())


def spot_check(
    page: PageImage, recogniser: Recogniser, count: int = SPOT_LINES, piece: int | None = None
) -> float | None:
    """Mean likeness (0..1) of up to ``count`` lines of text and the text read from their pixels; of each line only the
    words up to its character ``piece``, if given. Lines that run upwards or downwards are turned before.

    The choice of lines is random but the same for the same page. ``None`` when no line can be checked: too
    short, or in a script that the recogniser does not write.
    """
    from rapidfuzz.distance import Levenshtein

    lines = [line for line in page_lines(page.pdf_page) if _checkable(line, recogniser.alphabet)]
    lines = [line for line in lines if len(line.text) >= 12] or lines
    chosen = Random(f"{page.number} {len(lines)}").sample(lines, min(count, len(lines)))
    if piece is not None and page.pdf_page is not None:
        words = layer_of(page.pdf_page, "words")
        chosen = [_beginning(line, words, piece) for line in chosen]
    read = recogniser.read_lines([picture_of(page.pdf_page, line) for line in chosen])
    scores = [
        Levenshtein.normalized_similarity(_plain(line.text), _plain(text))
        for line, (text, _) in zip(chosen, read, strict=True)
    ]
    return sum(scores) / len(scores) if scores else None


def _beginning(line: TextLine, words: Sequence[tuple[Any, ...]], characters: int) -> TextLine:
    """``line`` up to the word (``x0, y0, x1, y1, text, ...``) that reaches so many ``characters``; the whole line if
    its words are unknown, run from the right, or do not stand level."""
    if line.turns or has_right_to_left(line.text):
        return line
    box = line.bbox
    inside = [word for word in words if box.has_center_of(BBox(*word[:4]))]
    text, right = "", box.x0
    for word in sorted(inside, key=lambda word: word[0]):
        if len(text) >= characters:
            return replace(line, bbox=replace(box, x1=right), text=repair(text))
        text, right = f"{text} {word[4]}".strip(), word[2]
    return line


def vowel_share(text: str) -> float | None:
    """Share of the Latin words of four letters and more that hold a vowel; ``None`` for fewer than 20
    words.
    """
    words = _WORD.findall(text)
    if len(words) < MIN_WORDS:
        return None
    return sum(any(letter in _VOWELS for letter in word) for word in words) / len(words)


def bad_share(text: str) -> float:
    """Share of characters that no text holds: control, unassigned, of private use and unknown, U+FFFD."""
    if text.isprintable() and "\ufffd" not in text:
        return 0.0
    return sum(map(_is_bad, text)) / len(text) if text else 0.0


def _is_bad(character: str) -> bool:
    kind = unicodedata.category(character)
    return character == "\ufffd" or kind in ("Cc", "Cn") or (kind == "Co" and not is_known(character))


def untold_share(text: str) -> float:
    """Share of letters within words whose Unicode the file does not tell, among these and all known letters."""
    untold = letters_untold(text)
    return untold / (untold + sum(map(str.isalpha, text))) if untold else 0.0


def hidden_share(spans: Sequence[Span]) -> float:
    """Share of the characters that are in the file but not painted."""
    total = sum(length for _, _, length in spans)
    return sum(length for _, hidden, length in spans if hidden) / total if total else 0.0


def image_share(page: Any) -> float:
    """Share of the page that its largest image covers."""
    return max(image_shares(page), default=0.0)


def image_shares(page: Any) -> list[float]:
    """The share of the page that each of its images covers."""
    return [abs(mupdf().Rect(info["bbox"]) & page.rect) / abs(page.rect) for info in images_of(page)]


def _are_proven(trace: Sequence[dict[str, Any]], proven: Mapping[str, Collection[str]]) -> bool:
    """Whether fonts prove (nearly) all letters and figures of a page's text, the ``proven`` ones of each font."""
    counts = [0, 0]
    for span in trace:
        own = proven.get(span["font"], ())
        letters = [letter for code, *_ in span["chars"] if (letter := chr(code)).isalnum()]
        counts[0] += len(letters)
        counts[1] += sum(letter in own for letter in letters)
    return counts[1] >= AGREED * max(counts[0], 1)


def undrawn_share(trace: Sequence[dict[str, Any]]) -> float:
    """The share of the characters in the ``trace`` of a page, white space aside, for which damaged fonts draw one and
    the same box (glyph 0); a sound font draws it for one character at most."""
    fonts: dict[str, list[tuple[int, int]]] = {}
    for span in trace:
        fonts.setdefault(span["font"], []).extend((code, glyph) for code, glyph, *_ in span["chars"] if code > 0x20)
    boxes = ([code for code, glyph in drawn if not glyph] for drawn in fonts.values())
    return sum(len(codes) for codes in boxes if len(set(codes)) > 1) / max(1, sum(map(len, fonts.values())))


def _spans(page: Any, trace: Sequence[dict[str, Any]]) -> list[Span]:
    """Every piece of text in the ``trace`` of a page.

    Text is invisible in render mode 3, and where a picture of (nearly) the whole page is painted after it.
    """
    covered_until = -1
    for order, (kind, bbox, *_) in enumerate(boxes_of(page)):
        if kind == "fill-image" and abs(mupdf().Rect(bbox) & page.rect) > MIN_IMAGE_SHARE * abs(page.rect):
            covered_until = order
    return [(span["font"], span["type"] == 3 or span["seqno"] < covered_until, len(span["chars"])) for span in trace]


def _checkable(line: TextLine, alphabet: frozenset[str]) -> bool:
    if line.slanted:
        return False  # its picture holds other lines, too
    letters = [character for character in line.text if not character.isspace()]
    known = sum(character in alphabet for character in letters)
    return len(letters) >= 5 and known >= 0.9 * len(letters) and any(letter.isalpha() for letter in letters)


def picture_of(page: Any, line: TextLine) -> Any:
    """An RGB image of ``line`` (points) on a ``pymupdf.Page``, upright and :data:`LINE_PIXELS` high."""
    height, width = line.bbox.height, line.bbox.width
    if line.turns % 2:
        height, width = width, height
    box = line.bbox.grown(0.15 * height + 0.5)
    scale = min(LINE_PIXELS / max(height, 0.5), 4000 / max(width + 0.3 * height + 1.0, 1.0))
    image = page.get_pixmap(matrix=mupdf().Matrix(scale, scale), clip=astuple(box), alpha=False).pil_image()
    return turned_image(image, line.turns) if line.turns else image


def _plain(text: str) -> str:
    """``text`` as readings are compared: without leaders and typed lines, whose dots no recogniser counts."""
    return LEADER.sub("", _SPACE.sub("", unicodedata.normalize("NFKC", text)).casefold())
