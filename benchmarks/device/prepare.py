"""Makes, where there are a network and docspec's drafters, the folder that goes to the GPU beside the tree.

``wheels/``: packages for Python 3.12 that a machine with torch and transformers lacks, in the tested versions.
``transcripts/``: pictures of pages, their drafts, and what a model wrote for them; ``tokenizer.json.gz``: that model's.
``bundled/``: pages for the bundled reader, with ``drafts/`` as ``--drafter saved`` reads them. ``prepared.json``: the
commit, and how each transcript was drafted.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.device.driver import commit
from benchmarks.transcripts import DIALECTS, Transcript, find_transcripts
from docspec.core import PageDraft, PageImage, ParseOptions, UsageError
from docspec.documents import PageFailure, open_document
from docspec.drafting import make_drafter

if TYPE_CHECKING:
    from docspec.drafting import SafeDrafter

ROOT = Path(__file__).parents[2]
FOLDER = ".device"
LIMIT = 60 * 2**20
"""Bytes that the tree and the folder may have together."""

PACKAGES = (
    *("transformers", "pydantic", "pydantic_core", "annotated-types", "typing-inspection", "typing_extensions"),
    *("rapidfuzz", "httpx2", "httpcore2", "truststore", "simplejpeg", "omegaconf", "typer", "rich", "markdown-it-py"),
    *("fsspec", "annotated-doc", "mdurl", "shellingham"),
)
"""What the machine has not, has too old, or has in a version that is not known. PyMuPDF and RapidOCR are too large."""

PYTHON = "3.12"
PLATFORMS = ("manylinux_2_28", "manylinux_2_27", "manylinux_2_17", "manylinux2014", "manylinux1")

BUNDLED = ("notes", "exam-paper", "book", "journal-article")
"""Samples for the bundled reader."""

SAMPLES = ("journal-article", "textbook", "financial-report")
"""Samples whose true Markdown stands for a transcript where no transcripts are given."""

FIRST = ("multi_column_miss", "math_2503_04086", "earnings")
"""Pages of earlier runs, which are read first so that runs can be compared."""

DPI = 200.0


def prepare(out: Path, shared: Path | None, wheels: bool, tell: Callable[[str], None]) -> int:
    """Fills the folder ``out``; returns the bytes that travel: the tree's and its own.

    ``shared`` is searched for documents with NAME.md or NAME.json beside them, and for the tokenizer of the model that
    wrote these, a ``*tokenizer.json`` or ``*tokenizer.json.gz``. Raises :class:`docspec.core.UsageError` where that
    exceeds :data:`LIMIT`.
    """
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    if wheels:
        _download(out / "wheels", tell)
    tokenizer = None if shared is None else next(shared.rglob("*tokenizer.json*"), None)
    if tokenizer is not None:
        data = tokenizer.read_bytes()
        packed = data if tokenizer.suffix == ".gz" else gzip.compress(data, mtime=0)
        (out / "tokenizer.json.gz").write_bytes(packed)
    about = {each.name: _transcript(each, out / "transcripts", tell) for each in transcripts(shared)}
    for name in BUNDLED:
        _bundled(ROOT / "samples" / f"{name}.pdf", out / "bundled", tell)
    whole = {"commit": commit(), "transcripts": about}
    (out / "prepared.json").write_text(json.dumps(whole, indent=1) + "\n")
    own, tree = sum(map(_bytes, out.rglob("*"))), sum(map(_bytes, travelling(ROOT)))
    tell(f"{out}: {own / 2**20:.1f} MiB, the tree {tree / 2**20:.1f}, of {LIMIT >> 20} together")
    if own + tree > LIMIT:
        raise UsageError(f"{out}: {(own + tree) / 2**20:.0f} MiB with the tree are too many to travel")
    return own + tree


def travelling(root: Path) -> list[Path]:
    """The files of the tree that travel: all that git does not ignore."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [root / name for name in listed.split("\0") if name and (root / name).is_file()]


def transcripts(shared: Path | None) -> list[Transcript]:
    """What is read: the transcripts of ``shared``, pages of earlier runs first, or :data:`SAMPLES`."""
    found = find_transcripts([ROOT / "samples" / f"{name}.pdf" for name in SAMPLES] if shared is None else [shared])
    return sorted(found, key=lambda each: FIRST.index(each.name) if each.name in FIRST else len(FIRST))


def _download(out: Path, tell: Callable[[str], None]) -> None:
    pinned = (ROOT / "constraints.txt").read_text()
    wanted = []
    for name in PACKAGES:
        pattern = f"^{re.sub('[-_]', '[-_]', name)}==.*$"
        found = re.search(pattern, pinned, re.MULTILINE | re.IGNORECASE)
        if found is None:
            raise UsageError(f"constraints.txt pins no {name}")
        wanted.append(found.group())
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "-d", str(out)]
    command += ["--python-version", PYTHON, "--implementation", "cp"]
    command += [word for name in PLATFORMS for word in ("--platform", f"{name}_x86_64")]
    subprocess.run([*command, *wanted], check=True)
    tell(f"{len(wanted)} wheels")


def first_page(file: Path) -> PageImage:
    with open_document(file) as document:
        for page in document.pages("1", DPI):
            if isinstance(page, PageFailure):
                raise page.error
            return page
    raise UsageError(f"{file} has no pages")


def _drafters() -> Iterator[SafeDrafter]:
    """From the cheapest; recognition is loaded where it is needed."""
    yield make_drafter(ParseOptions(drafter="text-layer"))
    yield make_drafter(ParseOptions(drafter="rapidocr"))


def _transcript(of: Transcript, out: Path, tell: Callable[[str], None]) -> dict[str, Any]:
    """The page, its draft and its text in ``out``; returns what ``prepared.json`` says of it."""
    from pydantic import TypeAdapter

    out.mkdir(exist_ok=True)
    page = first_page(of.document)
    started = time.perf_counter()
    draft = PageDraft()
    for drafter in _drafters():
        draft = drafter.draft(page)
        if not draft.is_empty:
            break
    seconds = time.perf_counter() - started
    suffix = next(suffix for suffix, dialect in DIALECTS.items() if dialect == of.dialect)
    page.image.save(out / f"{of.name}.png", optimize=True)
    (out / f"{of.name}.draft.json").write_bytes(TypeAdapter(PageDraft).dump_json(draft))
    (out / f"{of.name}{suffix}").write_text(of.text, encoding="utf-8")
    tell(f"{of.name}: {len(draft.regions)} regions by {draft.drafter}, {seconds:.1f} s")
    return {
        "transcript": f"{of.name}{suffix}",
        "drafter": draft.drafter,
        "draft_seconds_where_prepared": round(seconds, 3),
    }


def _bundled(file: Path, out: Path, tell: Callable[[str], None]) -> None:
    (out / "drafts").mkdir(parents=True, exist_ok=True)
    page = first_page(file)
    draft = next(_drafters()).draft(page)
    page.image.save(out / f"{file.stem}.png", optimize=True)
    blocks = [
        {
            "page": 1,
            "category": region.category.value,
            "bbox": [round(v) for v in (region.bbox.x0, region.bbox.y0, region.bbox.x1, region.bbox.y1)],
            "text": region.texts[0] if region.texts else "",
        }
        for region in draft.regions
    ]
    only = {"page": 1, "status": "ok", "width": page.width, "height": page.height, "blocks": blocks}
    whole = {"schema": "docspec.document/1", "source": f"{file.stem}.png", "pages": [only]}
    (out / "drafts" / f"{file.stem}.json").write_text(json.dumps(whole))
    tell(f"{file.stem}: {len(blocks)} regions")


def _bytes(file: Path) -> int:
    return file.stat().st_size if file.is_file() else 0
