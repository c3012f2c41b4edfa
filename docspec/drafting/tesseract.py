"""Text recognition by the program tesseract, which reads more than a hundred languages (``apt install
tesseract-ocr-ara``).

The detector of RapidOCR's wheel finds the lines and tesseract reads them one by one, straightened: on photographs its
own search for lines loses many (``python -m benchmarks languages``). The program is used and not its Python binding
tesserocr, which must be compiled against the installed library. It gets the lines of a page as one TIFF file on its
standard input, so that its model is loaded once; its text has the spaces, its TSV the certainties.
"""

from __future__ import annotations

import csv
import io
import os
import re
import shutil
import subprocess
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from docspec.core import BBox, Category, DrafterError, PrintedLine, Region
from docspec.core.languages import Language
from docspec.core.scripts import alphabet_of
from docspec.drafting.ink import THIN, line_boxes, unread_regions
from docspec.drafting.light import evened, is_uneven
from docspec.drafting.number_check import LineRead, NumberWord, with_checked_numbers
from docspec.drafting.recogniser import ReadQuad, Recogniser
from docspec.drafting.repair import repair
from docspec.drafting.straightening import straight_line

PROGRAM = "tesseract"
SECONDS = 100.0
"""Time limit of one run of the program: a page of a newspaper takes 20."""

ONE_LINE, RAW_LINE, SCRIPT_ONLY = 7, 13, 0
"""Tesseract's modes of page segmentation: a line; a line in which it searches for nothing; orientation and script."""

SURELY_TURNED = 5.0
"""Least confidence of tesseract that a page is turned; it tells 7 to 57 of the benchmark's pages."""

NESTED = 0.8
"""Share of a line within another from which on it is a part of that."""

NEW = 0.5
"""Most of the height of a line of ink that is that of a known one beside which it begins."""

LEFT_SURE = 0.9
"""Least certainty (0..1) of a line that the detector did not find: ink may be anything."""

POOR = 0.6
"""Certainty (0..1) below which a line is read again as a raw line; sometimes the search for words loses all of it."""

WITHOUT_LATIN = frozenset({"Arabic", "Hebrew"})
"""Scripts whose models read Latin words as figures and letters of their own."""

MIXED, SURER = 0.97, 0.02
"""Certainty (0..1) below which a line of these is read again with English beside its language, and the least gain for
which that reading is kept; with both, lines of one script are read worse."""

CERTAINTIES = ((0.0, 0.0), (0.5, 0.55), (0.65, 0.78), (0.75, 0.9), (0.83, 0.96), (0.9, 0.98), (0.95, 0.995), (1.0, 1.0))
"""Tesseract's certainties, and the shares of right characters in 655 lines of twelve languages for which it told them
(``benchmarks languages --certainty``). It tells at most 0.97, and less for scripts with marks."""

_UNSPACED = "\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef"
_BETWEEN = re.compile(f"(?<=[{_UNSPACED}]) +(?=[{_UNSPACED}])")
_SARA_AM = re.compile("\u0e4d([\u0e48-\u0e4b]?)\u0e32")
"""Thai and Chinese as tesseract spells them and nobody types them."""

_SCRIPTS = {"Japanese": "Kana", "Korean": "Hangul", "Hangul_vert": "Hangul", "Katakana": "Kana", "Hiragana": "Kana"}
"""Names of scripts by tesseract that are not those of :mod:`docspec.core.scripts`."""


def installed() -> frozenset[str]:
    """The codes of the installed models; empty without the program."""
    program = shutil.which(PROGRAM)
    return frozenset() if program is None else _models_of(program)


@cache
def _models_of(program: str) -> frozenset[str]:
    try:
        done = subprocess.run([program, "--list-langs"], capture_output=True, timeout=SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return frozenset()
    lines = (done.stdout or done.stderr).decode(errors="replace").splitlines()
    return frozenset(line.strip() for line in lines if line.strip() and not line.startswith("List of"))


def package_of(language: Language) -> str:
    """How to get the model of ``language``."""
    return f"apt install tesseract-ocr-{language.code.replace('_', '-')}"


class Print(NamedTuple):
    """The ``script`` of a page (a name of :mod:`docspec.core.scripts`; ``None``: not known), and the quarter turns,
    clockwise, that bring it upright."""

    script: str | None
    turns: int = 0


def print_of(image: Image.Image) -> Print:
    """The script and the orientation of the print of ``image``, by tesseract's detection (its model ``osd``)."""
    if "osd" not in installed():
        return Print(None)
    try:
        told = _run([image.convert("L")], "osd", SCRIPT_ONLY).text
    except DrafterError:  # too few characters
        return Print(None)
    found = dict(re.findall(r"^([A-Z][a-z ]+): (\S+)$", told, re.MULTILINE))
    script = found.get("Script", "")
    sure = float(found.get("Orientation confidence", 0)) >= SURELY_TURNED
    turns = int(found.get("Rotate", 0)) // 90 if sure else 0
    return Print(_SCRIPTS.get(script, script) or None, turns)


class TesseractRecogniser(Recogniser):
    """Finds lines as RapidOCR does and reads them by tesseract in ``languages``. Its processes are as many as the
    threads of ``finder``, whose detector is used."""

    evens_light = True

    def __init__(self, languages: Sequence[Language], finder: Recogniser) -> None:
        super().__init__(threads=finder._threads)
        self.languages = tuple(languages)
        self.source = finder

    def check(self) -> None:
        """Raises :class:`DrafterError` if the program or a model is missing."""
        if shutil.which(PROGRAM) is None:
            raise DrafterError(
                f"tesseract is not installed: apt install tesseract-ocr, then {package_of(self.languages[0])}"
            )
        for language in self.languages:
            if language.code not in installed():
                raise DrafterError(f"tesseract has no model for {language.name}: {package_of(language)}")
        self.source.check()

    @property
    def scripts(self) -> tuple[str, ...]:
        return tuple(sorted({language.script for language in self.languages}))

    @property
    def alphabet(self) -> frozenset[str]:
        """The characters that it can write, as far as its scripts tell."""
        return alphabet_of(self.scripts)

    def read_line(self, image: Image.Image) -> tuple[str, float]:
        return self.read_lines([image])[0]

    def _enlarging(self, side: float) -> AbstractContextManager[None]:
        return self.source.engine.enlarging(side)

    def _read(
        self, image: Image.Image, tell: Callable[[Sequence[str]], None] | None, known: Sequence[BBox]
    ) -> list[ReadQuad]:
        """All lines: a process reads the known ones beside the others."""
        quads = without_nested(self.source.find_lines(image))
        found = len(quads)
        quads += lines_left(image, quads)
        boxes = [BBox(*np.min(quad, axis=0).tolist(), *np.max(quad, axis=0).tolist()) for quad in quads]
        if is_uneven(image, [(box, "-" * round(box.width)) for box in boxes]):
            image = evened(image)  # it loses half of a line that the edge of a shadow crosses
        grey = np.asarray(image.convert("L"))
        pictures = [straight_line(grey, quad) for quad in quads]
        read: list[LineRead] = []
        parts = list(_parts(len(pictures), self._threads))
        with ThreadPoolExecutor(max(1, len(parts))) as pool:
            for part in pool.map(lambda ends: self._read_lines(pictures[ends[0] : ends[1]]), parts):
                read += part
                if tell is not None:
                    tell([as_typed(line.text) for line in part])
        kept = [number for number, line in enumerate(read) if line.text and (number < found or line.sure >= LEFT_SURE)]
        lines = with_checked_numbers([pictures[at] for at in kept], [read[at] for at in kept], self.source.read_line)
        return [
            ReadQuad(np.asarray(quads[at]).tolist(), as_typed(line.text), line.sure, line.unsure)
            for at, line in zip(kept, lines, strict=True)
        ]

    def read_lines(self, images: Sequence[Image.Image]) -> list[tuple[str, float]]:
        return [(as_typed(line.text), line.sure) for line in self._read_lines(images)]

    def _read_lines(self, images: Sequence[Image.Image]) -> list[LineRead]:
        """The lines as the program spells them, their numbers unchecked."""
        pictures = [image.convert("L") for image in images]
        if not pictures:
            return []
        code = "+".join(language.code for language in self.languages)
        found = _lines_of(_run(pictures, code, ONE_LINE), len(pictures))
        poor = [number for number, line in enumerate(found) if line.sure < POOR]
        if poor:
            again = _lines_of(_run([pictures[number] for number in poor], code, RAW_LINE), len(poor))
            for number, other in zip(poor, again, strict=True):
                found[number] = max(found[number], other, key=lambda line: line.sure)
        mixed = [number for number, line in enumerate(found) if line.sure < MIXED] if self._has_no_latin else []
        if mixed:
            again = _lines_of(_run([pictures[number] for number in mixed], f"{code}+eng", ONE_LINE), len(mixed))
            for number, other in zip(mixed, again, strict=True):
                found[number] = other if other.sure >= found[number].sure + SURER else found[number]
        return found

    @property
    def _has_no_latin(self) -> bool:
        """Whether its models know no Latin letters, and one that does is at hand."""
        return WITHOUT_LATIN.issuperset(self.scripts) and "eng" in installed()


@dataclass(frozen=True, slots=True)
class _Told:
    """What a run of the program wrote: its text, in which a form feed ends each picture, and its rows of words, which
    alone have tabs."""

    text: str
    rows: tuple[dict[str, str], ...]


def _run(pictures: Sequence[Image.Image], code: str, mode: int) -> _Told:
    """Runs tesseract on grey ``pictures``. Raises :class:`DrafterError` if it fails."""
    tiff = io.BytesIO()
    pictures[0].save(tiff, "TIFF", save_all=True, append_images=pictures[1:])
    outputs = ["tsv", "txt"] if mode != SCRIPT_ONLY else []
    command = [PROGRAM, "-", "-", "-l", code, "--psm", str(mode), *outputs]  # no file: it would outlive a killed child
    environment = os.environ | {"OMP_THREAD_LIMIT": "1"}
    try:
        done = subprocess.run(
            command, input=tiff.getvalue(), capture_output=True, timeout=SECONDS, env=environment, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DrafterError(f"tesseract -l {code} did not run ({error})") from error
    if done.returncode or not done.stdout:
        said = done.stderr.decode(errors="replace").strip().splitlines() or ["no output"]
        raise DrafterError(f"tesseract -l {code} failed: {said[-1]}")
    lines = done.stdout.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    rows = csv.DictReader((line for line in lines if "\t" in line), delimiter="\t", quoting=csv.QUOTE_NONE)
    return _Told("\n".join(line for line in lines if "\t" not in line), tuple(rows))


def _lines_of(told: _Told, count: int) -> list[LineRead]:
    """What was read in each of ``count`` pictures."""
    texts = (told.text.split("\f") + [""] * count)[:count]
    sure: list[list[float]] = [[] for _ in range(count)]
    numbers: list[list[NumberWord]] = [[] for _ in range(count)]
    for row in told.rows:
        if row.get("level") == "5" and (text := row.get("text") or "").strip():
            page, left = int(row["page_num"]) - 1, int(row["left"])
            sure[page] += [float(row["conf"]) / 100] * len(text)
            if any(map(str.isdigit, text)):
                last = numbers[page].pop() if numbers[page] else None
                if last is not None and last.text + text in texts[page]:  # Thai ones come figure by figure
                    text, left = last.text + text, last.left
                elif last is not None:
                    numbers[page].append(last)
                numbers[page].append(NumberWord(text, left, int(row["left"]) + int(row["width"])))
    return [
        LineRead(text.strip(), certainty(fmean(one)) if one else 0.0, tuple(own))
        for text, one, own in zip(texts, sure, numbers, strict=True)
    ]


def as_typed(text: str) -> str:
    """A line of tesseract's as people type it: composed, no spaces between signs of Chinese and Japanese."""
    joined = _BETWEEN.sub("", " ".join(text.split()))
    return repair(unicodedata.normalize("NFC", _SARA_AM.sub("\\1\u0e33", joined)))


def certainty(told: float) -> float:
    """The share of right characters to be expected where tesseract is so certain (0..1), from :data:`CERTAINTIES`."""
    return float(np.interp(told, [one for one, _ in CERTAINTIES], [right for _, right in CERTAINTIES]))


def told_for(expected: float) -> float:
    """What tesseract told where :func:`certainty` says ``expected``."""
    return float(np.interp(expected, [right for _, right in CERTAINTIES], [told for told, _ in CERTAINTIES]))


def without_nested(quads: Sequence[Any]) -> list[Any]:
    """``quads`` without those within another one: marks over letters are found as lines of their own."""
    boxes = [BBox(*np.min(quad, axis=0).tolist(), *np.max(quad, axis=0).tolist()) for quad in quads]
    nested = {
        number
        for number, box in enumerate(boxes)
        for other in boxes
        if other.area > box.area and box.overlap(other) > NESTED
    }
    return [quad for number, quad in enumerate(quads) if number not in nested]


def lines_left(image: Image.Image, quads: Sequence[Any]) -> list[Any]:
    """The lines of ink of ``image`` outside ``quads``: the detector, which learned Chinese and Latin print, loses some
    of scripts with high marks."""
    known = [BBox(*np.min(quad, axis=0).tolist(), *np.max(quad, axis=0).tolist()) for quad in quads]
    if not known:
        return []
    regions = [Region(box, Category.TEXT, lines=(PrintedLine(box, ""),)) for box in known]
    left = [region.bbox for region in unread_regions(image, regions) if region.category is Category.TEXT]
    lines = [line for box in left for line in line_boxes(image, box)]
    lines = [
        line for line in lines if min(line.width, line.height) > THIN and not any(_is_of(line, box) for box in known)
    ]
    return [np.array([(b.x0, b.y0), (b.x1, b.y0), (b.x1, b.y1), (b.x0, b.y1)]) for b in lines if b.area > 0]


def _is_of(line: BBox, known: BBox) -> bool:
    """Whether ``line`` has print of a ``known`` one: the box of a shadow's edge reaches over lines."""
    common = line.intersection(known)
    return common is not None and common.height > NEW * min(line.height, known.height)


def _parts(count: int, processes: int) -> Iterator[tuple[int, int]]:
    """Start and end of about equal parts of ``count`` lines, one for each of the ``processes``."""
    ends = sorted({round(count * part / processes) for part in range(processes + 1)})
    return pairwise(ends)
