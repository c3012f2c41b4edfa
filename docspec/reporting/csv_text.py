"""CSV that a spreadsheet shows as it is and does not run."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

_ONE_NUMBER = r"(?:[\d.,\s]*\d[\d.,]*(?:[eE][+\-]?\d+)?[\s%‰°*†‡\w]*(?:\([\d.,\s]*\))?)?\s*\Z"
_FORMULA = re.compile(rf"[=@＝＠\t\r\n]|[+\-＋－](?!{_ONE_NUMBER})")
"""Formulas to a spreadsheet: a sign is harmless before one number, its unit, and another in brackets."""


def csv_of(rows: Iterable[Sequence[str | int]], lineterminator: str = "\r\n") -> str:
    """``rows`` as CSV (RFC 4180). A cell that a spreadsheet would run as a formula gets an apostrophe in front."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator=lineterminator)
    writer.writerows([f"'{cell}" if _FORMULA.match(str(cell)) else cell for cell in row] for row in rows)
    return buffer.getvalue()
