"""What a run would meet in a file, in milliseconds a page and without a model: pages with a sound text layer, scans,
garbled layers, scripts, forms, encryption, attachments, damage, and whose words each page would get.

Files are opened in a child process, as by :mod:`docspec.isolation`: one that crashes or hangs MuPDF costs itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from docspec.core import DocspecError, InputError
from docspec.documents.painting import boxes_of
from docspec.documents.sources import Source
from docspec.isolation.child import Child, WorkerLost
from docspec.isolation.serving import PixelsHandle

PageKind = Literal["born-digital", "mixed", "scanned", "garbled", "blank", "damaged", "picture"]
"""``mixed``: text that stands, and pictures of a good part of the page; ``garbled``: a text layer that does not say
what is printed; ``picture``: a page of an image file."""

NEEDS_OCR: frozenset[PageKind] = frozenset(("scanned", "garbled", "picture"))
"""Kinds of pages whose words are recognised or read by the model."""

HAVE_TEXT: frozenset[PageKind] = frozenset(("born-digital", "mixed"))
"""Kinds of pages whose words are the file's."""

WORDS: dict[PageKind, str] = {
    "born-digital": "the file's",
    "mixed": "the file's, and what is found in pictures",
    "scanned": "recognised, doubtful lines read by the model",
    "garbled": "recognised, doubtful lines read by the model",
    "picture": "recognised, doubtful lines read by the model",
    "blank": "none",
    "damaged": "what can be shown of it",
}
"""Whose words a page gets from the bundled reader, and from every model with ``--words evidence``."""

MODELS_WORDS: dict[PageKind, str] = {**WORDS, **dict.fromkeys(HAVE_TEXT | NEEDS_OCR, "the model's")}
"""Whose words a page gets from another model."""

MIXED = 0.15
"""From this share of the page on, a picture beside sound text makes it mixed."""

SMALL = 0.01
"""Pictures that cover less of the page are signs and logos."""

RULES = 3
"""Horizontal lines, one below the other, that look like a table."""

GAP = 60.0
"""Most points between two lines of a table, one below the other."""

BESIDE = 10.0
"""Most points between two lines of a table side by side."""

SECONDS = 60.0
"""Seconds that a file may take."""

SCRIPT_SHARE = 0.02
"""Scripts of a smaller share of a document's letters are names and signs."""


@dataclass(frozen=True, slots=True)
class PageFacts:
    """A page: ``why`` it is of its ``kind``, ``characters`` of its text layer, and guesses at ``tables`` (by drawn
    lines) and ``pictures``."""

    number: int
    kind: PageKind
    why: str = ""
    characters: int = 0
    fields: int = 0
    tables: int = 0
    pictures: int = 0


@dataclass(frozen=True, slots=True)
class FileFacts:
    """A file. ``error``: it cannot be read, and why; ``language`` is what the file says; ``scripts`` those of its text,
    the most frequent first."""

    name: str
    error: str | None = None
    is_encrypted: bool = False
    is_xfa: bool = False
    damage: str | None = None
    language: str | None = None
    attachments: int = 0
    scripts: tuple[str, ...] = ()
    pages: tuple[PageFacts, ...] = field(default=(), repr=False)

    @property
    def kinds(self) -> Counter[str]:
        """How many pages are of each kind."""
        return Counter(page.kind for page in self.pages)

    @property
    def needs_ocr(self) -> bool:
        """Whether words of some page have to be recognised or read."""
        return any(page.kind in NEEDS_OCR for page in self.pages)

    def as_object(self, words: Mapping[PageKind, str] = WORDS) -> dict[str, Any]:
        """Plain values for JSON, with whose ``words`` each page gets."""
        facts = asdict(self)
        pages = facts.pop("pages")
        for values, page in zip(pages, self.pages, strict=True):
            values["words"] = words[page.kind]
        return facts | {
            "page_count": len(pages),
            "needs_ocr": self.needs_ocr,
            "kinds": dict(self.kinds),
            "pages": pages,
        }

    def line(self) -> str:
        """All of it but the pages, in one line."""
        if self.error is not None:
            return self.error
        kinds = ", ".join(f"{count} {kind}" for kind, count in self.kinds.most_common())
        tables, pictures = sum(page.tables > 0 for page in self.pages), sum(page.pictures for page in self.pages)
        fields = sum(page.fields for page in self.pages)
        facts = [
            f"{self.name}: {_counted(len(self.pages), 'page')} ({kinds})",
            ", ".join(self.scripts),
            f"says {self.language}" if self.language else "",
            f"tables on {_counted(tables, 'page')}?" if tables else "",
            _counted(pictures, "picture") if pictures else "",
            _counted(fields, "form field") if fields else "",
            "dynamic form (XFA)" if self.is_xfa else "",
            "encrypted" if self.is_encrypted else "",
            _counted(self.attachments, "attachment") if self.attachments else "",
            self.damage or "",
        ]
        return "; ".join(filter(None, facts))


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def inspect_files(sources: Iterable[Source], password: str | None = None) -> Iterator[FileFacts]:
    """The facts of each of ``sources``, in their order. A file that ends the child process, or takes more than
    :data:`SECONDS`, has an error."""
    child: Child | None = None
    try:
        for source in sources:
            child = child or Child(InspectingWorker)
            try:
                yield child.call("look", source, password, seconds=SECONDS)
            except WorkerLost as lost:
                child.kill()
                child = None
                yield FileFacts(source.name, f"{source.name}: looking at it {lost}")
    finally:
        if child is not None:
            child.kill()


class InspectingWorker:
    """The worker of the child."""

    def __init__(self, handle: PixelsHandle) -> None:
        from docspec.documents.mupdf import mupdf

        mupdf().TOOLS.mupdf_display_warnings(False)

    def look(self, source: Source, password: str | None) -> FileFacts:
        """The facts of a file."""
        from docspec.documents import open_document

        try:
            with open_document(source, password) as document:
                if source.kind != "pdf":
                    pages = tuple(PageFacts(number + 1, "picture") for number in range(document.page_count))
                    return FileFacts(source.name, pages=pages, damage=document.damage)
                return self._pdf(document)
        except InputError as error:
            return FileFacts(source.name, str(error), is_encrypted="encrypted" in str(error))
        except DocspecError as error:
            return FileFacts(source.name, str(error))

    def _pdf(self, document: Any) -> FileFacts:
        from docspec.core.scripts import scripts_of
        from docspec.drafting.trust import TrustJudge

        judge, letters, pages, xfa = TrustJudge(), Counter[str](), [], False
        for number, page in document.unrendered():
            if page is None:
                pages.append(PageFacts(number, "damaged", "it cannot be opened"))
                continue
            letters += scripts_of(page.get_text())
            xfa = xfa or document.is_dynamic(page)
            pages.append(facts_of(page, number, judge))
        most = max(1, letters.total())
        scripts = tuple(name for name, count in letters.most_common() if count >= SCRIPT_SHARE * most)
        return FileFacts(
            document.name,
            is_encrypted=document.is_encrypted,
            is_xfa=xfa,
            damage=document.damage,
            language=document.language,
            attachments=document.attachments,
            scripts=scripts,
            pages=tuple(pages),
        )


def facts_of(page: Any, number: int, judge: Any) -> PageFacts:
    """The facts of an open ``pymupdf.Page``; ``judge`` is a :class:`docspec.drafting.trust.TrustJudge`."""
    from PIL.Image import new

    from docspec.core import PageImage
    from docspec.drafting.trust import image_shares

    shares = image_shares(page)
    boxes = boxes_of(page)
    verdict = judge.judge(PageImage(new("RGB", (1, 1)), number, 1.0, "", page))
    pictures, covered = sum(share >= SMALL for share in shares), max(shares, default=0.0)
    fields = sum(1 for _ in page.widgets() or ())
    if verdict.trusted:
        kind: PageKind = "mixed" if covered >= MIXED else "born-digital"
    elif not boxes and not fields:
        kind = "blank"
    elif verdict.characters and "scan" not in verdict.reason and "no text" not in verdict.reason:
        kind = "garbled"
    else:
        kind = "scanned"
    tables = tables_in([box for what, box, *_ in boxes if what in ("stroke-path", "fill-path")])
    return PageFacts(number, kind, verdict.reason, verdict.characters, fields, tables, pictures)


def tables_in(boxes: Sequence[tuple[float, float, float, float]]) -> int:
    """How many tables the drawn lines among ``boxes`` look like: lines one below the other, no more than :data:`GAP`
    points apart, at :data:`RULES` heights or more."""
    tables: list[tuple[float, float, set[int]]] = []  # left, right, heights
    for x0, y0, x1, y1 in sorted(boxes, key=lambda box: box[1]):
        if abs(y1 - y0) >= 2 or x1 - x0 <= 20:
            continue
        near = [one for one in tables if one[0] <= x1 + BESIDE and x0 <= one[1] + BESIDE and y0 - max(one[2]) <= GAP]
        heights = {round(y0), *(height for one in near for height in one[2])}
        tables = [one for one in tables if one not in near]
        tables.append((min([x0, *(one[0] for one in near)]), max([x1, *(one[1] for one in near)]), heights))
    return sum(len(heights) >= RULES and x1 - x0 > 60 for x0, x1, heights in tables)
