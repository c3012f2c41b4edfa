"""How well a checkpoint reads: greedy decoding of held-out pages and crops, through ordinary `generate()`.

Text comes from the evaluation split and fonts from training families or, apart, from families never trained
on. Errors are counted after Markdown normalisation; lines read twice and lines left out are measured on their
own, since one such slip costs more than all confused letters of a page.
"""

from __future__ import annotations

import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from rapidfuzz.distance import Levenshtein

from training import papers
from training.crops import make_crop
from training.formulas import make_formula
from training.lines import ONE_LINE, make_lines
from training.pages import KINDS, make_page
from training.reader import checkpoint
from training.reader import tokenizer as tok
from training.reader.model import CELL
from training.render import Sample

LEVEL = 20.0  # pixels; raised and lowered characters belong to their line, also one beside the other
CROP_BUCKETS = ((1, 1), (2, 2), (3, 4), (5, 8), (9, 12))
CROP_WIDTHS = (192, 320, 448, 608)
OTHER_CROPS = ("heading", "list", "table", "caption")
TABLE_HEIGHTS = (128, 192, 320)  # about 2, 4 and 8 rows
REGION_WIDTHS = (448, 704, 1088)
LINE_WIDTHS = (640, 896, 1152, 1408)
LINE_ROWS = (1, 2, 4)
LINE_GROUPS = {  # kinds of lines, share of scans
    "prose": (("prose",), 0.0),
    "styles, marks": (("dressed", "dense", "reference", "footnote", "caption"), 0.0),
    "figures, tables": (("row", "figures", "row"), 0.0),
    "code": (("code",), 0.0),
    "other languages": (("abroad",), 0.0),
    "scans": (("prose", "dressed"), 1.0),
}


@dataclass(frozen=True)
class Bucket:
    """Results of one group. `cer` is errors per character of truth after Markdown normalisation, `exact` the
    share of printed lines (crops) or blocks (pages) that appear unchanged, `repeated` and `skipped` shares of
    printed lines, `seconds` per sample (of a batch, shared out)."""

    name: str
    unseen_fonts: bool
    samples: int
    characters: int
    cer: float
    cer_raw: float
    exact: float
    repeated: float
    skipped: float
    seconds: float


@dataclass(frozen=True)
class Report:
    """All buckets of one evaluation and what it takes to repeat it."""

    model: str
    seed: int
    crops_per_bucket: int
    lines_per_bucket: int
    pages_per_kind: int
    threads: int
    buckets: tuple[Bucket, ...]
    blank_output: str

    def mean(self, prefix: str, unseen_fonts: bool = False) -> float:
        """CER over all characters of the buckets whose name starts with `prefix`."""
        chosen = [b for b in self.buckets if b.name.startswith(prefix) and b.unseen_fonts == unseen_fonts]
        return sum(b.cer * b.characters for b in chosen) / max(1, sum(b.characters for b in chosen))


def normalise(markdown: str) -> str:
    """Text without Markdown's marks and with single spaces: what the CER compares."""
    text = re.sub(r"(?m)^\|(?: --- \|)+$", "", markdown)
    text = re.sub(r"(?m)^(#{1,6} |- |\d+\. )", "", text)
    return " ".join(text.replace("|", " ").split())


def printed_lines(sample: Sample) -> list[str]:
    """The text of each printed line of the answer."""
    lines: list[str] = []
    previous: tuple[float, float] | None = None
    for char, (x, y) in zip(sample.text, sample.centres, strict=True):
        if np.isnan(x):
            if lines and char == " ":
                lines[-1] += char
            continue
        if previous is None or abs(y - previous[1]) > LEVEL or x < previous[0]:
            lines.append("")
        lines[-1] += char
        previous = (float(x), float(y))
    return [line.strip() for line in lines]


def slips(sample: Sample, output: str, length: int = 6) -> tuple[int, int, int]:
    """Printed lines, and how many of them appear twice or not at all, judged by their runs of `length`
    characters that occur once in the truth; lines without such runs are not counted."""
    truth, output = normalise(sample.text), normalise(output)

    def runs(text: str) -> Counter[str]:
        return Counter(text[i : i + length] for i in range(len(text) - length + 1))

    once, have = runs(truth), runs(output)
    counted = repeated = skipped = 0
    for line in printed_lines(sample):
        own = [run for run in runs(line) if once[run] == 1]
        if len(own) >= 8:
            counted += 1
            repeated += sum(have[run] >= 2 for run in own) > len(own) / 2
            skipped += sum(have[run] == 0 for run in own) > 0.85 * len(own)
    return counted, repeated, skipped


class Reader:
    """A loaded checkpoint that reads batches of equally large samples."""

    def __init__(self, directory: Path) -> None:
        self.model, self.tokenizer, self.processor = checkpoint.load(directory)

    @torch.inference_mode()
    def read(self, images: Sequence[np.ndarray], longest: int = 2048) -> list[str]:
        """Greedy text of grey images (height, width) uint8 of one size."""
        height, width = images[0].shape
        pictures = [Image.fromarray(image).convert("RGB") for image in images]
        inputs = self.processor(images=pictures, return_tensors="pt")
        ids = tok.prompt_ids(self.tokenizer, height * width // CELL**2)
        prompt = torch.tensor([ids] * len(images))
        output = self.model.generate(
            input_ids=prompt,
            attention_mask=torch.ones_like(prompt),
            mm_token_type_ids=(prompt == tok.IMAGE_PAD).long(),
            max_new_tokens=longest,
            do_sample=False,
            **inputs,
        )
        return [self.tokenizer.decode(row[len(ids) :], skip_special_tokens=True) for row in output]


def measure(reader: Reader, name: str, samples: Sequence[Sample], unseen: bool, batch: int) -> Bucket:
    """Read samples (grouped by size, `batch` at a time) and compare."""
    errors = raw = characters = counted = repeated = skipped = 0
    right = 0.0
    began = time.perf_counter()
    ordered = sorted(samples, key=lambda sample: sample.pixels.shape)
    for _, group in groupby(ordered, key=lambda sample: sample.pixels.shape):
        members = list(group)
        for start in range(0, len(members), batch):
            part = members[start : start + batch]
            most = max(len(sample.text) for sample in part)
            outputs = reader.read([sample.pixels for sample in part], min(2048, most + 60))
            for sample, output in zip(part, outputs, strict=True):
                truth, got = normalise(sample.text), normalise(output)
                errors += Levenshtein.distance(truth, got)
                raw += Levenshtein.distance(sample.text, output)
                characters += len(truth)
                lines = printed_lines(sample)
                right += sum(line in got for line in lines) / max(1, len(lines))
                a, b, c = slips(sample, output)
                counted, repeated, skipped = counted + a, repeated + b, skipped + c
    seconds = (time.perf_counter() - began) / max(1, len(samples))
    total, lines_total = max(1, characters), max(1, counted)
    return Bucket(
        name, unseen, len(samples), characters, errors / total, raw / total, right / max(1, len(samples)),
        repeated / lines_total, skipped / lines_total, seconds,
    )  # fmt: skip


def crops_of(low: int, high: int, count: int, seed: int, unseen: bool) -> Iterator[Sample]:
    """`count` paragraph crops of `low` to `high` printed lines, half of them with scan noise."""
    found, attempt = 0, 0
    while found < count:
        lines = low + attempt % (high - low + 1)
        width = CROP_WIDTHS[attempt // 3 % len(CROP_WIDTHS)]
        sample = make_crop(
            width, 32 * (lines + 1), seed + attempt, kind="paragraph", unseen=unseen, evaluation=True, noise=0.3
        )
        attempt += 1
        if low <= len(printed_lines(sample)) <= high:
            found += 1
            yield sample


def lines_of(kinds: Sequence[str], rows: int, count: int, seed: int, unseen: bool, noise: float) -> list[Sample]:
    """`count` wide crops of `rows` lines (kinds that stand alone: of one), as they are cut out of A4 pages."""
    return [
        make_lines(
            LINE_WIDTHS[k % len(LINE_WIDTHS)],
            32 * (rows + 1),
            seed + k,
            kind=kinds[k % len(kinds)],
            unseen=unseen,
            evaluation=True,
            noise=noise,
            rows=rows,
        )
        for k in range(count)
    ]


def tables_of(height: int, count: int, seed: int, unseen: bool) -> list[Sample]:
    """`count` tables as reading by regions cuts them out, a fifth of them with scan noise."""
    made = (
        make_crop(
            REGION_WIDTHS[k % len(REGION_WIDTHS)],
            height,
            seed + k,
            kind="table",
            unseen=unseen,
            evaluation=True,
            noise=0.2,
        )
        for k in range(4 * count)
    )
    return [sample for sample in made if sample.text.startswith("|")][:count]  # the others did not fit


def formulas_of(count: int, seed: int, unseen: bool) -> list[Sample]:
    """`count` displayed formulas, a fifth of them with scan noise."""
    return [
        make_formula(REGION_WIDTHS[k % 2], (64, 96)[k // 2 % 2], seed + k, unseen=unseen, noise=0.2)
        for k in range(count)
    ]


def papers_of(paths: Sequence[Path], rows: int, most: int, scans: bool) -> dict[str, list[Sample]]:
    """Crops of `rows` lines of real PDF files by kind, at most about `most` of a file (see `papers`)."""
    found: dict[str, list[Sample]] = defaultdict(list)
    for crop in papers.crops_of(paths, rows, scans, most):
        found[crop.kind].append(crop.sample)
    return found


def pages_of(kind: str, count: int, seed: int, unseen: bool, narrow: bool = False) -> list[Sample]:
    """`count` pages of a kind in the geometry of the sample pages, with `narrow` but for the distance of lines."""
    width, height = (960, 704) if kind == "slide" else (704, 960)
    return [
        make_page(width, height, seed + k, kind=kind, unseen=unseen, evaluation=True, noise=0.3, narrow=narrow)
        for k in range(count)
    ]


def run(
    model_dir: Path | str, *, crops_per_bucket: int = 24, lines_per_bucket: int = 0, pages_per_kind: int = 3,
    seed: int = 90_000_000, unseen: bool = True, batch: int = 8, pdfs: Sequence[Path] = (), scans: bool = False,
) -> Report:  # fmt: skip
    """Evaluate a checkpoint directory on held-out crops, lines and pages, and on `lines_per_bucket` crops of each of
    the files `pdfs` (`scans`: printed and scanned); raises what loading it raises."""
    reader = Reader(Path(model_dir))
    buckets = []
    for rows in LINE_ROWS if pdfs else ():
        for kind, samples in sorted(papers_of(pdfs, rows, lines_per_bucket, scans).items()):
            buckets.append(measure(reader, f"file: {rows} x {kind}", samples, True, batch))
    for strange in (False, True) if unseen else (False,):
        for rows in LINE_ROWS if lines_per_bucket else ():
            for number, (name, (kinds, noise)) in enumerate(LINE_GROUPS.items()):
                kinds = tuple(kind for kind in kinds if rows == 1 or kind not in ONE_LINE)
                first = seed + 300_000 + 10_000 * rows + 1000 * number
                samples = lines_of(kinds, rows, lines_per_bucket, first, strange, noise)
                buckets.append(measure(reader, f"lines: {rows} x {name}", samples, strange, batch))
        for number, height in enumerate(TABLE_HEIGHTS if lines_per_bucket else ()):
            samples = tables_of(height, lines_per_bucket, seed + 400_000 + 1000 * number, strange)
            buckets.append(measure(reader, f"regions: tables, {height} px", samples, strange, batch))
        if lines_per_bucket:
            samples = formulas_of(lines_per_bucket, seed + 410_000, strange)
            buckets.append(measure(reader, "regions: formulas", samples, strange, batch))
        for low, high in CROP_BUCKETS if crops_per_bucket else ():
            name = f"crops of {low} lines" if low == high else f"crops of {low}-{high} lines"
            name = "crops of 1 line" if high == 1 else name
            samples = list(crops_of(low, high, crops_per_bucket, seed + 1000 * low, strange))
            buckets.append(measure(reader, name, samples, strange, batch))
        for number, kind in enumerate(OTHER_CROPS if crops_per_bucket else ()):
            samples = [
                make_crop(480, 160, seed + 50_000 + 1000 * number + k, kind=kind, unseen=strange, evaluation=True)
                for k in range(crops_per_bucket)
            ]
            buckets.append(measure(reader, f"crop: {kind}", samples, strange, batch))
        for number, kind in enumerate(KINDS if pages_per_kind else ()):
            samples = pages_of(kind, pages_per_kind, seed + 100_000 + 1000 * number, strange)
            buckets.append(measure(reader, f"page: {kind}", samples, strange, min(batch, 3)))
        if pages_per_kind:
            samples = pages_of("book", pages_per_kind, seed + 200_000, strange, narrow=True)
            buckets.append(measure(reader, "lines too close: book", samples, strange, min(batch, 3)))
    blank = reader.read([np.full((960, 704), 255, np.uint8)], 64)[0]
    return Report(
        str(model_dir),
        seed,
        crops_per_bucket,
        lines_per_bucket,
        pages_per_kind,
        torch.get_num_threads(),
        tuple(buckets),
        blank,
    )
