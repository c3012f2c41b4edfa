"""Opens PDF files in any state: unlocked, counted, and with a page tree that can be followed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from docspec.core import Failure, InputError
from docspec.documents.mupdf import mupdf
from docspec.documents.pagetree import PageTree, settled_tree
from docspec.documents.sources import Source


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
