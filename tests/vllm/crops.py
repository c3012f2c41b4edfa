"""The crops of a sample for an engine of vLLM's, and what docspec's own engine makes of them."""

from __future__ import annotations

from pathlib import Path

from benchmarks.engines.measure import DocspecEngine
from benchmarks.engines.tasks import Task, tasks_of
from docspec import ParseOptions, Parser
from docspec.documents import open_document
from docspec.drafting import make_drafter

SAMPLE = Path(__file__).parents[2] / "samples" / "journal-article.pdf"


def crops_of_a_sample(count: int) -> tuple[list[Task], list[list[int]], set[int]]:
    """The first ``count`` crops, the tokens of each by docspec's engine, decoded plainly, and the tokens that end an
    answer."""
    options = ParseOptions(words="model", device="cpu", dtype="float32", drafter="text-layer", read="regions")
    with Parser(options) as parser, open_document(SAMPLE) as document:
        context = parser.page_parser.context
        tasks = list(tasks_of(context, parser.page_images(document, "1"), make_drafter(options))[:count])
        own = DocspecEngine(context, tasks, plain=True).run(0, range(len(tasks)))["tokens"]
        return tasks, own, set(context.engine.target.eos_ids)
