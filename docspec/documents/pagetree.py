"""Opens PDF files in any state, and walks their page tree to find the pages that exist, whatever its counts say.

MuPDF trusts ``/Count``: where it is too small, pages are never seen, where it is too large, pages are made up. A
damaged tree is replaced, in memory, by a flat list of the pages that exist.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docspec.core import Failure, InputError
from docspec.documents.mupdf import mupdf
from docspec.documents.sources import Source

MAX_NODES = 1_000_000
"""Most pages and branches that are followed: more than any real document has, a bound on trees that branch wildly."""


@dataclass(frozen=True, slots=True)
class PageTree:
    """``indices[n]`` is MuPDF's index of page ``n + 1``; ``None`` for a page that is named and does not exist.

    ``damage`` is the fault of the tree, ``None`` for a sound one.
    """

    indices: tuple[int | None, ...]
    damage: str | None = None


def settled_tree(pdf: Any) -> PageTree:
    """The page tree of an open, unlocked ``pymupdf.Document`` or MuPDF ``PdfDocument``, mended there if needed."""
    pages, problems, sound = _walk(pdf)
    if not pages:
        pages, sound = _scattered(pdf), False
        problems.append("its page tree is lost; the pages come in the order in which they are numbered")
    held = [page for page in pages if page is not None]
    if sound and not problems:
        return PageTree(tuple(range(len(held))))
    root = _root(pdf)
    if not mupdf().mupdf.pdf_is_dict(root):
        root = _new_root(pdf)
    claimed = mupdf().mupdf.pdf_to_int(_get(root, "Count"))
    if claimed != len(pages):
        problems.append(f"its page tree counts {claimed} pages and holds {len(pages)}")
    _flatten(pdf, root, held)
    index = iter(range(len(held)))
    indices = tuple(None if page is None else next(index) for page in pages)
    return PageTree(indices, "; ".join(dict.fromkeys(problems)) or None)


def _root(pdf: Any) -> Any:
    low = mupdf().mupdf
    document = mupdf()._as_pdf_document(pdf)
    return _get(_get(low.pdf_trailer(document), "Root"), "Pages")


def _get(node: Any, key: str) -> Any:
    return mupdf().mupdf.pdf_dict_gets(node, key)


def _walk(pdf: Any) -> tuple[list[Any], list[str], bool]:
    """The leaves in order (``None`` for a named one that is no page), the faults, and whether MuPDF would find the
    leaves: all counts are right, all pages are called pages."""
    low = mupdf().mupdf
    pages: list[Any] = []
    problems: list[str] = []
    root = _root(pdf)
    if low.pdf_is_dict(root):
        low.pdf_dict_dels(root, "Parent")
    seen = {low.pdf_to_num(root)}
    empty: set[int] = set()
    open_branches: list[tuple[Any, int, Iterator[Any]]] = [(root, 0, _kids(root))]
    sound = True
    nodes = 0
    while open_branches:
        branch, before, kids = open_branches[-1]
        kid = next(kids, None)
        nodes += 1
        if kid is None or nodes > MAX_NODES:
            sound = sound and low.pdf_to_int(_get(branch, "Count")) == len(pages) - before
            open_branches.pop()
            if len(pages) == before:
                empty.add(low.pdf_to_num(branch))
            continue
        number = low.pdf_to_num(kid)
        if not low.pdf_is_dict(kid) or low.pdf_is_stream(kid):
            pages.append(None)
            problems.append("a page that its page tree names does not exist")
        elif not low.pdf_is_array(_get(kid, "Kids")) and not _is_page(kid):
            pages.append(None)
            problems.append("a page that its page tree names is none")
        elif not low.pdf_is_array(_get(kid, "Kids")):
            pages.append(kid)
            _adopt(kid, branch)
            sound = sound and low.pdf_to_name(_get(kid, "Type")) == "Page"
        elif number and number in empty:
            continue  # what took the other pages out of a file made one of all branches without a page
        elif number and number in seen:
            problems.append("its page tree holds a part of itself twice")
        else:
            seen.add(number)
            _adopt(kid, branch)
            open_branches.append((kid, len(pages), _kids(kid)))
    if nodes > MAX_NODES:
        problems.append(f"its page tree has more than {MAX_NODES} nodes")
    return pages, problems, sound


def _is_page(leaf: Any) -> bool:
    """Whether a dictionary without kids is called a page or has the entries of one."""
    low = mupdf().mupdf
    if low.pdf_to_name(_get(leaf, "Type")) == "Page":
        return True
    return any(not low.pdf_is_null(_get(leaf, key)) for key in ("Contents", "MediaBox", "Annots"))


def _adopt(kid: Any, branch: Any) -> None:
    """Makes ``branch`` the parent that ``kid`` inherits from; parents may be missing, or go in circles."""
    low = mupdf().mupdf
    if low.pdf_to_num(_get(kid, "Parent")) != low.pdf_to_num(branch):
        low.pdf_dict_puts(kid, "Parent", branch)


def _scattered(pdf: Any) -> list[Any]:
    """All objects that call themselves pages, in the order of their numbers."""
    low = mupdf().mupdf
    document = mupdf()._as_pdf_document(pdf)
    scattered = []
    for number in range(1, min(low.pdf_xref_len(document), MAX_NODES)):
        try:
            thing = low.pdf_load_object(document, number)
        except Exception:  # this object alone cannot be read
            continue
        if low.pdf_to_name(_get(thing, "Type")) == "Page":
            scattered.append(low.pdf_new_indirect(document, number, 0))
    return scattered


def _new_root(pdf: Any) -> Any:
    """An empty page tree in the document's catalogue."""
    low = mupdf().mupdf
    document = mupdf()._as_pdf_document(pdf)
    root = low.pdf_add_new_dict(document, 4)
    low.pdf_dict_puts(root, "Type", low.pdf_new_name("Pages"))
    low.pdf_dict_puts(_get(low.pdf_trailer(document), "Root"), "Pages", root)
    return root


def _kids(branch: Any) -> Iterator[Any]:
    low = mupdf().mupdf
    kids = _get(branch, "Kids")
    for index in range(low.pdf_array_len(kids) if low.pdf_is_array(kids) else 0):
        yield low.pdf_array_get(kids, index)


def _flatten(pdf: Any, root: Any, pages: list[Any]) -> None:
    """Makes ``pages`` the only kids of the root. They keep the parents from which they inherit."""
    low = mupdf().mupdf
    kids = low.pdf_new_array(mupdf()._as_pdf_document(pdf), len(pages))
    for page in pages:
        low.pdf_dict_puts(page, "Type", low.pdf_new_name("Page"))
        low.pdf_array_push(kids, page)
    low.pdf_dict_puts(root, "Kids", kids)
    low.pdf_dict_puts(root, "Count", low.pdf_new_int(len(pages)))


def open_pdf(source: Source, password: str | None) -> tuple[Any, PageTree]:
    """Open, unlock and count. Raises :class:`InputError` in one line."""
    pymupdf = mupdf()
    try:
        if source.path is not None and is_plain(source.path):
            pdf = pymupdf.open(source.path, filetype="pdf")
        else:
            pdf = pymupdf.open(stream=source.read(), filetype="pdf")
    except OSError as error:
        raise InputError(f"{source.name}: cannot be read ({error.strerror})") from error
    except Exception as error:
        message = f"{source.name}: not a PDF, or damaged beyond repair; try to export it again"
        raise InputError(message, Failure.DAMAGED) from error
    try:
        _unlock(pdf, source, password)
        tree = settled_tree(pdf)
        if not tree.indices:
            message = f"{source.name}: the PDF has no pages, or is damaged beyond repair"
            raise InputError(message, Failure.DAMAGED)
    except InputError:
        pdf.close()
        raise
    except Exception as error:
        pdf.close()
        message = f"{source.name}: the PDF is damaged beyond repair; try to export it again"
        raise InputError(message, Failure.DAMAGED) from error
    return pdf, tree


def is_plain(path: Path) -> bool:
    """Whether MuPDF, which takes names in UTF-8, can open ``path``."""
    try:
        os.fspath(path).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _unlock(pdf: Any, source: Source, password: str | None) -> None:
    if not pdf.needs_pass:
        return
    if password is None:
        message = f"{source.name}: the PDF is encrypted; give its password with --password"
        raise InputError(message, Failure.ENCRYPTED)
    if not pdf.authenticate(password):
        message = f"{source.name}: wrong password for this encrypted PDF; check --password"
        raise InputError(message, Failure.ENCRYPTED)
