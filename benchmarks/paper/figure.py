"""Figure 3 of the paper: speed-up against the quality of the draft, over the first pages of a data set."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from benchmarks.drafts import Plan, Point, Span, levels, measure, overall
from benchmarks.drafts_chart import plot_drafts
from benchmarks.suites.item import SCAN, Suite
from docspec.bench.cli.common import target_line
from docspec.core import ParseOptions
from docspec.documents.sources import source_from_path
from docspec.parser import Parser
from docspec.reporting.writer import write_whole

SPANS = ("plain_decode", "plain_total", "verify", "decode", "total")
MOST_TOKENS = 512
"""Tokens of a page where no ``--max-tokens`` is given: every page is read once for each draft."""


def draw_figure(
    suite: Suite, options: ParseOptions, output: Path, pages: int, seed: int, resume: bool
) -> dict[str, Any] | None:
    """Figure 3 over the first ``pages`` pages of ``suite``: its points, kept in ``figure-3.json``, and its picture."""
    if not pages:
        return None
    file = output / "figure-3.json"
    plan = Plan(repeats=1, seed=seed)
    if resume and file.is_file():
        kept = json.loads(file.read_text(encoding="utf-8"))
        points = [_point(one) for one in kept["points"]]
    else:
        found = [item for item in suite.items() if item.page == 1]
        items = ([item for item in found if not item.kind.endswith(SCAN)] or found)[:pages]
        figure_options = replace(options, pages="1", max_tokens=options.max_tokens or MOST_TOKENS)
        with Parser(figure_options) as parser:
            points = measure(parser, [source_from_path(item.path) for item in items], plan)
            info = parser.loaded.info
        about = target_line(info)
        kept = {
            "note": f"{about}; {len(items)} items ({suite.title}), at most {figure_options.max_tokens} tokens each",
            "simulated": info.random,
            "points": [asdict(point) for point in points],
        }
        write_whole(file, json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
    plot_drafts(output / "figure-3.svg", points, kept["note"], kept["simulated"])
    return {
        "note": kept["note"],
        "points": [
            {
                "label": label,
                "agreement": 100 * sum(point.accuracy for point in group) / len(group),
                "sr_verify": overall(group, "verify"),
                "sr_decode": overall(group, "decode"),
                "sr_e2e": overall(group, "total"),
            }
            for label, group in levels(points).items()
        ],
    }


def _point(kept: dict[str, Any]) -> Point:
    """A point as it was kept."""
    spans = {key: Span(**kept[key]) for key in SPANS}
    return Point(**{**kept, **spans})


def figure_text(figure: dict[str, Any] | None, published: str) -> str:
    """The section of the report about the figure; ``published`` says what the paper has."""
    lines = ["## Figure 3: speed-up against the quality of the draft", "", f"Published: {published}."]
    if figure is None:
        return "\n".join([*lines, "", "Not made (--figure-pages 0).", ""])
    lines += [
        "",
        f"docspec's: {figure['note']}. Quality is the agreement of the draft with the target's own output (%), not the "
        "draft's score on OmniDocBench.",
        "",
        "![](figure-3.svg)",
        "",
        "| draft | agreement % | decoding alone | SR_decode | SR_e2e |",
        "|---|---:|---:|---:|---:|",
    ]
    for point in figure["points"]:
        values = (point["agreement"], point["sr_verify"], point["sr_decode"], point["sr_e2e"])
        lines.append(f"| {point['label']} | " + " | ".join(f"{value:.2f}" for value in values) + " |")
    return "\n".join(lines) + "\n"
