"""Data sets of the published shapes, made by hand: a few pages each, small enough to work their scores out."""

from __future__ import annotations

import json
from pathlib import Path

from PIL import Image, ImageDraw

TABLE = "<table><tr><td>ab</td><td>c d</td></tr><tr><td>ef</td><td>gh</td></tr></table>"

OMNI_PAGES = {
    "report": {
        "data_source": "research_report",
        "blocks": [
            ("header", "Annual report 2026"),
            ("title", "Ships and harbours"),
            ("text_block", "The ferry left the harbour at noon."),
            ("text_block", "Nobody on the quay had seen it go."),
            ("table", TABLE),
            ("table_caption", "Table 1. Letters"),
            ("figure", ""),
            ("page_number", "17"),
        ],
    },
    "paper": {
        "data_source": "academic_literature",
        "blocks": [
            ("text_block", "We write $x_1$ for the first of them, and"),
            ("text_block", " the rest follows on the next column."),
            ("equation_isolated", "$$\na^2 + b^2 = c^2\n$$"),
            ("text_block", "This was known before."),
        ],
        "truncated": [(1, 2)],
    },
    "note": {"data_source": "note", "blocks": [("text_block", "milk, eggs, bread")]},
}
"""Pages by name: the kind of the page and its blocks in reading order."""

OMNI_WRITTEN = {
    "report": (
        "Annual report 2026\n\n# Ships and harbors\n\nNobody on the quay had seen it go.\n\n"
        "The ferry left the harbour at noon.\n\n"
        "<table><tr><td>ab</td><td>cd</td></tr><tr><td>ef</td><td>gx</td></tr></table>\n"
    ),
    "paper": (
        "We write $x_1$ for the first of them, and the rest follows on the next column.\n\n"
        "$$a^2 + b^2 = d^2$$\n\nThis was known before.\n"
    ),
    "note": "milk, eggs, butter\n",
}
"""What a model might have written for them: a letter missing, two paragraphs changed about, cells wrong."""

OCEAN = {
    "en": {
        "one": ("the cat sat on the mat and slept", "the cat sat on a mat and slept"),
        "two": ("a b c d e f", "a b c d e f"),
        "three": ("nothing was read here", ""),
    },
    "zh": {"vier": ("今天天气很好，我们去公园。", "今天天气很好，我们去花园。")},
}
"""Truth and output by language and name."""


def omnidocbench(folder: Path, pages: dict | None = None) -> Path:
    """Writes ``OmniDocBench.json`` and its images."""
    (folder / "images").mkdir(parents=True)
    (folder / "OmniDocBench.json").write_text(
        json.dumps([omni_page(name, page) for name, page in (pages or OMNI_PAGES).items()]), encoding="utf-8"
    )
    for name, page in (pages or OMNI_PAGES).items():
        printed([text for kind, text in page["blocks"] if kind != "table"]).save(folder / "images" / f"{name}.png")
    return folder


def omni_page(name: str, page: dict) -> dict:
    box = [0, 0, 1, 0, 1, 1, 0, 1]
    places = {"table": "html", "equation_isolated": "latex"}
    blocks = [
        {
            "category_type": kind,
            "poly": box,
            "ignore": False,
            "order": number,
            "anno_id": number,
            places.get(kind, "text"): text,
            "attribute": {},
        }
        for number, (kind, text) in enumerate(page["blocks"], 1)
    ]
    relations = [
        {"source_anno_id": one, "target_anno_id": other, "relation_type": "truncated"}
        for one, other in page.get("truncated", ())
    ]
    return {
        "layout_dets": blocks,
        "extra": {"relation": relations},
        "page_info": {
            "page_attribute": {
                "data_source": page["data_source"],
                "language": "english",
                "layout": "single_column",
                "special_issue": ["watermark"],
            },
            "page_no": 1,
            "height": 192,
            "width": 320,
            "image_path": f"{name}.png",
        },
    }


def ocean_ocr(folder: Path) -> Path:
    """Writes ``document_en.json``, ``document_zh.json`` and their images."""
    for language, pages in OCEAN.items():
        (folder / f"document_{language}").mkdir(parents=True)
        entries = [
            {
                "image": f"{name}.png",
                "conversations": [{"from": "human", "value": "<image>"}, {"from": "gpt", "value": truth}],
            }
            for name, (truth, _) in pages.items()
        ]
        (folder / f"document_{language}.json").write_text(json.dumps(entries), encoding="utf-8")
        for name, (truth, _) in pages.items():
            printed([truth]).save(folder / f"document_{language}" / f"{name}.png")
    return folder


def printed(lines: list[str]) -> Image.Image:
    """A small page image with some print."""
    image = Image.new("RGB", (320, 192), "white")
    draw = ImageDraw.Draw(image)
    for row, line in enumerate(lines):
        draw.text((10, 10 + 24 * row), line.encode("ascii", "replace").decode(), fill="black")
    return image


OLMOCR = {
    "headers_footers": [
        {"type": "absent", "text": "Annual report 2026", "first_n": 40},
        {"type": "present", "text": "The ferry left the harbour at noon.", "max_diffs": 2},
    ],
    "multi_column": [
        {"type": "order", "before": "The ferry left", "after": "Nobody on the quay"},
        {"type": "order", "before": "Nobody on the quay", "after": "The ferry left"},
    ],
    "table_tests": [{"type": "table", "cell": "gh", "left": "ef"}],
}
"""Tests by file; every file has one PDF, ``one.pdf``, of its own."""

OLMOCR_WRITTEN = (
    "The ferry left the harbor at noon.\n\nNobody on the quay had seen it go.\n\n"
    "| ab | cd |\n| --- | --- |\n| ef | gh |\n"
)


def olmocr_bench(folder: Path) -> Path:
    """Writes ``bench_data/*.jsonl`` and ``bench_data/pdfs/``."""
    import pymupdf

    for name, tests in OLMOCR.items():
        place = folder / "bench_data" / "pdfs" / name
        place.mkdir(parents=True)
        pdf = pymupdf.open()
        page = pdf.new_page(width=240, height=160)
        page.insert_text((12, 24), "The ferry left the harbour at noon.", fontsize=9)
        page.insert_text((12, 64), "Nobody on the quay had seen it go.", fontsize=9)
        pdf.save(place / "one.pdf")
        lines = [
            {"pdf": f"{name}/one.pdf", "page": 1, "id": f"{name}_{number}", "max_diffs": 0, **test}
            for number, test in enumerate(tests)
        ]
        (folder / "bench_data" / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    return folder
