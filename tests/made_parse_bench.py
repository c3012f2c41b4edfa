"""Pages in the layout in which ParseBench's documents are published."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.made_report import ROWS, make_report


def html(rows: list[tuple[str, ...]]) -> str:
    kinds = ["th"] + ["td"] * (len(rows) - 1)
    cells = ["".join(f"<{kind}>{cell}</{kind}>" for cell in row) for kind, row in zip(kinds, rows, strict=True)]
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>"


def line(category: str, kind: str, rule: dict[str, Any], **more: Any) -> str:
    facts = {"pdf": f"pdfs/{category}/report.pdf", "category": category, "id": json.dumps(rule), "type": kind}
    return json.dumps({**facts, "rule": rule, **more}) + "\n"


def make_parse_bench(data: Path) -> Path:
    """A document with a table, and one with four rules about its text, of which three hold."""
    for category in ("table", "text_content"):
        (data / "pdfs" / category).mkdir(parents=True)
        make_report(data / "pdfs" / category / "report.pdf")
    (data / "table.jsonl").write_text(line("table", "expected_markdown", {}, expected_markdown=html(ROWS)))
    rules = [
        ("missing_specific_sentence", {"sentence": "The harbour is dry for two hours at each low tide."}),
        ("order", {"before": "Heights in March", "after": "Entering at night"}),
        ("missing_specific_word", {"word": "zeppelin"}),  # which it has not
        ("missing_specific_word", {"word": "lights"}),
    ]
    (data / "text_content.jsonl").write_text("".join(line("text_content", kind, rule) for kind, rule in rules))
    return data
