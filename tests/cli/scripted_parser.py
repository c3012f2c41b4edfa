"""A parser with scripted pages, and the way to run the real command line over it in a child process."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from PIL import Image

from docspec.core import BBox, Block, Category, Failure, InputError, PageResult, PageTimings, StageStats
from docspec.core.observer import Observer
from docspec.documents import PageSelection, open_document, parse_page_ranges
from docspec.documents.remote import fetched
from docspec.parser import Reading
from tests.forked import run_forked

HERE = Path(__file__).resolve()

HALT = "SCRIPTED_HALT"
"""Variable that names a page (``a.pdf page 2``) before which the child waits until it is killed: what a test does then
does not depend on how fast the machine is."""


@dataclass(frozen=True)
class Info:
    """The facts of a target that the report wants."""

    name: str = "scripted"
    path: str = "scripted"
    dialect: str = "markdown"
    device: str = "cpu"
    dtype: str = "float32"
    attention: str = "sdpa"
    random: bool = True
    note: str = "does not read"
    parameters: int = 1


def page(source: str, number: int, **changes: Any) -> PageResult:
    """A page with a heading, a text, a header and a picture."""
    values: dict[str, Any] = {
        "source": source,
        "number": number,
        "status": "ok",
        "text": "unused",
        "blocks": (
            Block(Category.PAGE_HEADER, f"Running head {number}"),
            Block(Category.SECTION_HEADER, f"## Page {number}"),
            Block(Category.TEXT, f"Text of page {number}."),
            Block(Category.PICTURE, "", BBox(10, 10, 40, 30), "model"),
        ),
        "width": 100,
        "height": 80,
        "drafter": "text-layer",
        "drafter_reason": "trustworthy",
        "regions": 3,
        "stage1": StageStats(3, 4, 8, 60, 30, 41, 90, 0.1, 0.2),
        "stage2": StageStats(1, 5, 5, 80, 35, 41, 120, 0.3, 0.4),
        "timings": PageTimings(0.01, 0.02, 0.3, 0.2, 0.4),
        "image": Image.linear_gradient("L").resize((100, 80)).rotate(7 * number).convert("RGB"),
    }
    return PageResult(**{**values, **changes})


@dataclass
class ScriptedDocument:
    """What ``Parser.open`` gives, without opening anything."""

    source: Any
    page_count: int = 9
    damage: str | None = None

    @property
    def name(self) -> str:
        return str(self.source.name)

    @property
    def sha256(self) -> str:
        return str(fetched(self.source).sha256())

    def __enter__(self) -> ScriptedDocument:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass


@dataclass
class ScriptedParser:
    """Yields ``pages`` pages a document; ``act(name, number)`` runs before each and may raise, sleep or
    replace it. With ``real_documents`` files are opened in earnest and have as many pages as they have.
    """

    observer: Observer
    pages_per_document: int = 2
    act: Callable[[str, int], PageResult | None] = lambda name, number: None
    step_report: None = None
    engine_report: None = None
    loads_late: bool = False
    is_loaded: bool = True
    load_seconds: float = 0.0
    target_info: Info = field(default_factory=Info)
    opened: list[str] = field(default_factory=list)
    closed: bool = False
    real_documents: bool = False
    wanted: str | None = None

    def open(self, source: Any) -> Any:
        self.opened.append(source.name)
        if self.real_documents:
            return open_document(source)
        if "broken" in source.name:
            raise InputError(f"{source.name}: not a readable PDF; repair it or convert it again")
        return ScriptedDocument(source, self.pages_per_document)

    def pages(self, document: Any, selection: PageSelection) -> Iterator[PageResult]:
        numbers = selection.resolve(document.page_count, document.name)
        self.observer.document_started(document.name, len(numbers))
        for number in numbers:
            for stage in ("render", "draft", "prefill", "stage1", "stage2"):
                self.observer.stage(number, stage)
            self.observer.decoding(number, "stage2", 20, 5.6)
            result = self.act(document.name, number) or page(document.name, number)
            self.observer.page_done(result)
            yield result

    def documents(self, sources: Iterable[Any]) -> Iterator[Reading]:
        """As the real parser's, without anything done ahead."""
        for source in sources:
            try:
                document = self.open(source)
            except InputError as error:
                yield Reading(source.name, None, error, iter(()))
                continue
            yield Reading(source.name, document, None, self.pages(document, parse_page_ranges(self.wanted)))

    def left_pages(self) -> list[Any]:
        return []

    def close(self) -> None:
        self.closed = True


def pdf(path: Path) -> Path:
    """Something that passes for a PDF at first sight; scripted parsers never look further."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"%PDF-1.7 scripted\n")
    return path


def child(args: list[str], *, pages: int = 3, page_seconds: float = 0.0) -> list[str]:
    """The command that runs ``docspec ARGS`` with a scripted parser in a process of its own.

    No ``pages``: as many as the files have.
    """
    return [sys.executable, str(HERE), str(pages), str(page_seconds), *args]


def child_environment(**changes: str) -> dict[str, str]:
    """An environment without the user's settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DOCSPEC", "XDG", "COLUMNS"))}
    return {**kept, "PYTHONPATH": str(HERE.parents[2]), **changes}


def forked(args: list[str], *, pages: int = 3, page_seconds: float = 0.0) -> list[str]:
    """As :func:`child`, for :class:`tests.forked.ForkedRun`."""
    return ["tests.cli.scripted_parser:_main", str(pages), str(page_seconds), *args]


def run_child(args: list[str], *, pages: int = 3, **keywords: Any) -> subprocess.CompletedProcess[bytes]:
    """Runs ``docspec ARGS`` with a scripted parser in a forked process to its end."""
    main, *words = forked(args, pages=pages)
    return run_forked(words, main, env=child_environment(), **keywords)


def _main() -> None:
    from docspec.cli import batch, main

    pages, page_seconds = int(sys.argv[1]), float(sys.argv[2])

    def act(name: str, number: int) -> PageResult | None:
        print("a library talks on standard output")
        time.sleep(page_seconds if f"{Path(name).name} page {number}" != os.environ.get(HALT) else 600)
        if "lost" in name and number == 2:
            error, failure = f"{name}, page 2: took too long", Failure.TIMED_OUT
            return page(name, number, status="failed", error=error, failure=failure, blocks=(), text="")
        return None

    def make_parser(options: Any, observer: Observer, devices: Any) -> ScriptedParser:
        return ScriptedParser(observer, pages, act, real_documents=pages == 0, wanted=options.pages)

    batch.make_parser = make_parser
    sys.argv = ["docspec", *sys.argv[3:]]
    main()


if __name__ == "__main__":
    _main()
