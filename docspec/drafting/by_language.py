"""Gives each page the recogniser that knows its script.

Which script that is tell, in this order: ``--language``; the page's text layer; the language that the document states;
the page before. Without any of them the recogniser of the wheel (Latin, Chinese, Japanese) reads the page, which costs
nothing where it is right. If it is unsure, the print itself is asked: tesseract's detection of scripts, or, where that
is not installed, four lines read by each recogniser at hand. Whoever is surer of the page has read it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal
from weakref import ref

import numpy as np
from PIL import Image

from docspec.core import DrafterError, Event, PageImage
from docspec.core.draft import certainty_of, expected
from docspec.core.languages import BUNDLED, LANGUAGES, TELLING, Language, language_of
from docspec.core.scripts import alphabet_of, scripts_of
from docspec.core.straightening import Straightening
from docspec.documents.painting import text_of
from docspec.drafting.language_packs import file_of, packs
from docspec.drafting.recogniser import Reading, Recogniser
from docspec.drafting.straightening import straight_line, straight_page
from docspec.drafting.tesseract import Print, TesseractRecogniser, installed, package_of, print_of

Engine = Literal["rapidocr", "tesseract"]

SURE = 0.9
"""Certainty (0..1) below which another script is considered. The recogniser of the wheel comes to 0.98 on Latin,
Chinese and Japanese scans, to 0.83 on Greek ones and at most to 0.6 on those of seven other scripts."""

SAMPLE = 4
"""Lines that every recogniser tries."""

TOLD, MORE = 0.01, 0.1
"""From such a share of letters that only one language has on, its recogniser counts as so much surer."""

LEAST_LETTERS = 8
"""Least letters of a text layer that tell its script."""

BETTER_BY_TESSERACT = frozenset({"tur"})
"""Languages in a script of the wheel that tesseract reads better (``benchmarks languages``): its ı and i."""


class ByLanguage:
    """The recognisers of this machine. ``bundled`` is that of RapidOCR's wheel, whose detector all use; ``languages``
    are those of ``--language`` (none: ``auto``); ``engine`` allows one kind only."""

    def __init__(self, bundled: Recogniser, languages: Sequence[Language] = (), engine: Engine | None = None) -> None:
        self.bundled = bundled
        self._languages = tuple(languages)
        self._engine = engine
        self._made: dict[tuple[str, ...], Recogniser] = {}
        self._document: tuple[str, Recogniser | None] = ("", None)
        self._tried = ""
        self._script: tuple[Callable[[], Any], str | None] = (lambda: None, None)

    @property
    def finder(self) -> Recogniser:
        return self.bundled

    def check(self) -> None:
        """Raises :class:`DrafterError` if the languages cannot be read here, or nothing can."""
        self.bundled.check()
        if self._languages and self.reader_of(self._languages) is None:
            raise DrafterError(f"nothing here reads {_named(self._languages)}: {self._remedy(self._languages)}")
        if self._engine == "tesseract" and not self._languages and not installed() - {"osd"}:
            raise DrafterError("tesseract, or a model for it, is not installed: apt install tesseract-ocr")

    @cached_property
    def alphabet(self) -> frozenset[str]:
        """The characters that one of the recognisers can write."""
        scripts = {language.script for language in LANGUAGES if self.reader_of([language]) is not None}
        return self.bundled.alphabet | alphabet_of(scripts - BUNDLED)

    def reader_of(self, languages: Sequence[Language]) -> Recogniser | None:
        """The recogniser for print in ``languages``; ``None`` if none is at hand."""
        key = tuple(language.code for language in languages)
        if key not in self._made and (made := self._make(languages)) is not None:
            self._made[key] = made
        return self._made.get(key)

    def _make(self, languages: Sequence[Language]) -> Recogniser | None:
        codes = {language.code for language in languages}
        by_tesseract = self._engine != "rapidocr" and codes <= installed()
        others = [language for language in languages if language.script not in BUNDLED]
        if self._engine != "tesseract":
            if not others and not (by_tesseract and codes & BETTER_BY_TESSERACT):
                return self.bundled
            packs_of = {language.pack for language in others}
            if len(packs_of) == 1 and (file := self._pack(packs_of.pop())) is not None:
                return self.bundled.with_model(file)
        return TesseractRecogniser(languages, self.bundled) if by_tesseract else None

    def _pack(self, name: str) -> Path | None:
        pack = packs().get(name)
        return None if pack is None else file_of(pack)

    def of_page(self, page: PageImage) -> Recogniser:
        """The recogniser for ``page``, by what is known of it unread."""
        if self._languages:
            return self.reader_of(self._languages) or self.bundled
        source, last = self._document
        last = last if source == page.source else None
        script = self._script_of(page) or (stated.script if (stated := _stated(page)) is not None else None)
        if script is not None and script not in BUNDLED:
            readers = self._readers_in(script, page)
            last = last if last in readers else self._surest(page, readers)
        return last or self._usual

    def _script_of(self, page: PageImage) -> str | None:
        """:func:`_script_of_text`, found once a page: the judge, the lines and the pictures of a page ask for its
        recogniser in turn."""
        if page.pdf_page is None:
            return None
        if self._script[0]() is not page.pdf_page:
            self._script = ref(page.pdf_page), _script_of_text(page)
        return self._script[1]

    def read(self, page: PageImage, tell: Callable[[Sequence[str]], None] | None = None) -> Reading:
        """The lines of ``page`` as the recogniser of its script reads them, and what is to be said about the script."""
        reader = self.of_page(page)
        reading = Reading(*reader.read_page(page.image, tell), reader)
        sure = _certainty(reading)
        if self._languages:
            seen = Print(None) if sure >= SURE else print_of(page.image)
            return replace(reading, events=self._differing(seen.script), turns=seen.turns)
        if sure >= SURE:
            better = self._better(reading)
            self._document = page.source, reader
            return reading if better is None else _by(better, page, tell, reading)
        script, turns = print_of(page.image)
        readers = self._everyone(page) if script is None else self._readers_in(script, page)
        other = self._surest(straight_page(page, Straightening(turns)), readers)
        if turns:
            self._document = page.source, other
            return replace(reading, turns=turns)
        if other is None:
            reading = replace(reading, events=self._unread(script))
        elif other is not reader:
            again = _by(other, page, tell, reading)
            reading = again if again.events or _certainty(again) > sure else reading
        self._document = page.source, reading.recogniser
        return reading

    def _better(self, reading: Reading) -> Recogniser | None:
        """The recogniser for a language in a script of the wheel that another reads better, by its letters."""
        if reading.recogniser is not self.bundled:
            return None
        text = "".join(line.text for line in reading.lines)
        own = [one for one in LANGUAGES if one.code in BETTER_BY_TESSERACT and _tells(text, [one])]
        other = self.reader_of(own[:1]) if own else None
        return None if other is self.bundled else other

    @property
    def _usual(self) -> Recogniser:
        """The recogniser of pages of which nothing is known."""
        if self._engine != "tesseract":
            return self.bundled
        english = [language for language in LANGUAGES if language.code == "eng"]
        readers = (self.reader_of([language]) for language in (*english, *LANGUAGES))
        return next((reader for reader in readers if reader is not None), self.bundled)

    def _readers_in(self, script: str, page: PageImage) -> list[Recogniser]:
        """The recognisers for ``script``: that of the language that the document states, if there is one."""
        stated = _stated(page)
        if script in BUNDLED and self._engine != "tesseract":
            return [self.bundled]
        own = [language for language in LANGUAGES if language.script == script]
        if stated in own and (reader := self.reader_of([stated])) is not None:
            return [reader]
        return self._of(own)

    def _everyone(self, page: PageImage) -> list[Recogniser]:
        """All recognisers at hand, once a document: trying them all takes seconds."""
        tried, self._tried = self._tried == page.source, page.source
        return [] if tried else self._of(LANGUAGES)

    def _of(self, languages: Sequence[Language]) -> list[Recogniser]:
        readers = (self.reader_of([language]) for language in languages)
        return list(dict.fromkeys(reader for reader in readers if reader is not None))

    def _surest(self, page: PageImage, readers: Sequence[Recogniser]) -> Recogniser | None:
        """The one of ``readers`` that is surest of the longest lines of ``page``."""
        if len(readers) < 2:
            return readers[0] if readers else None
        grey = np.asarray(page.image.convert("L"))
        pictures = [straight_line(grey, quad) for quad in self.bundled.find_lines(page.image)]
        sample = sorted(pictures, key=lambda picture: -picture.width)[:SAMPLE]
        return max(readers, key=lambda reader: _score(reader, sample)) if sample else None

    def _unread(self, script: str | None) -> tuple[Event, ...]:
        """The event of a page in a script that nothing reads here."""
        own = [language for language in LANGUAGES if language.script == script]
        if script is None or script in BUNDLED or not own:
            return ()
        told = f"printed in {script}, which nothing here reads: {self._remedy(own[:1])}"
        return (Event("script_unread", told),)

    def _differing(self, script: str | None) -> tuple[Event, ...]:
        """The event of a page that is not in the script of ``--language``."""
        own = {language.script for language in self._languages}
        if script is None or script in own or (script in BUNDLED and own & BUNDLED and script != "Latin"):
            return ()
        named = "+".join(language.code for language in self._languages)
        told = f"printed in {script}, not in the {' or '.join(sorted(own))} of --language {named}; leave it out (auto)"
        return (Event("language_differs", told),)

    def _remedy(self, languages: Sequence[Language]) -> str:
        """How to be able to read ``languages``."""
        absent = [language for language in languages if language.code not in installed()]
        ways = [" && ".join(map(package_of, absent))] if absent and self._engine != "rapidocr" else []
        if self._engine != "tesseract":
            ways += [packs()[one].download for one in dict.fromkeys(one.pack for one in languages) if one in packs()]
        return ", or ".join(ways) or "RapidOCR has no model for it, see --drafter tesseract"


def _by(other: Recogniser, page: PageImage, tell: Callable[[Sequence[str]], None] | None, reading: Reading) -> Reading:
    """``page`` as ``other`` reads it; ``reading``, which is there already, with an event if ``other`` fails."""
    try:
        return Reading(*other.read_page(page.image, tell), other)
    except DrafterError as error:
        return replace(reading, events=(Event("script_unread", f"{error}; the reading of another recogniser stands"),))


def _named(languages: Sequence[Language]) -> str:
    return " and ".join(language.name for language in languages)


def _certainty(reading: Reading) -> float:
    """How sure the recogniser was (0..1); not at all of text in a script that is not its own (models of other scripts
    know some Latin letters)."""
    scripts = scripts_of("".join(line.text for line in reading.lines))
    own = sum(scripts[script] for script in reading.recogniser.scripts)
    return (certainty_of(reading.lines) or 0.0) if 2 * own >= scripts.total() else 0.0


def _stated(page: PageImage) -> Language | None:
    """The language that the document states."""
    return language_of(page.language) if page.language else None


def _script_of_text(page: PageImage) -> str | None:
    """The script of most letters in the text layer of ``page``."""
    if page.pdf_page is None:
        return None
    scripts = scripts_of(text_of(page.pdf_page))
    return max(scripts, key=lambda script: scripts[script]) if scripts.total() >= LEAST_LETTERS else None


def _score(reader: Recogniser, sample: Sequence[Image.Image]) -> float:
    """How sure ``reader`` is of the pictures of lines (0..1, and more where they have letters of its language alone);
    letters that must be missing count."""
    try:
        read = reader.read_lines(sample)
    except DrafterError:
        return 0.0
    sizes = [expected(text, *picture.size) for picture, (text, _) in zip(sample, read, strict=True)]
    sure = sum(sure * len(text) for text, sure in read) / sum(sizes)
    languages = reader.languages if isinstance(reader, TesseractRecogniser) else ()
    return sure + (MORE if _tells("".join(text for text, _ in read), languages) else 0.0)


def _tells(text: str, languages: Sequence[Language]) -> bool:
    """Whether ``text`` has letters that only one of ``languages`` has."""
    own = {letter for language in languages for letter in TELLING.get(language.code, "")}
    return sum(letter in own for letter in text) > TOLD * len(text)
