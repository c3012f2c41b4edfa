"""``python -m docspec_methods.teaching``: a drafting head for a target, taught from pages that it writes itself."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from docspec.console.parameters import takes_options
from docspec.core import ParseOptions

if TYPE_CHECKING:
    from docspec.parser import Parser
    from docspec_methods.teaching.lessons import Lesson

SAVE_EVERY = 60.0
"""Seconds between two states on disk."""


@takes_options("model", "device", "dtype", "pages", "dpi", "drafter", "read", "max_tokens", words="model")
def train_head(
    *,
    inputs: Annotated[
        list[str], typer.Argument(metavar="PAGES", show_default=False, help="PDF or image files, or folders.")
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="Folder of the head.")],
    options: ParseOptions,
    head: Annotated[Literal["hivis", "vispec"], typer.Option(help="Which method.")] = "hivis",
    updates: Annotated[int, typer.Option(min=1, help="Updates of the weights in all.")] = 1500,
    rate: Annotated[float, typer.Option(min=0.0, help="Learning rate at its highest.")] = 1e-3,
) -> int:
    """Train a head that drafts for a model (--proposer head:DIR), from pages that the model reads here first.

    The same command goes on where an interrupted one stopped. Validation: drafted tokens in a row that are right.
    """
    import torch

    from docspec.console.terminal import say
    from docspec.parser import Parser
    from docspec_methods.head_network import Head, HeadConfig, save
    from docspec_methods.teaching.teacher import Teacher

    output.mkdir(parents=True, exist_ok=True)
    with Parser(options) as parser:
        lessons = _lessons(parser, inputs, output / "lessons.pt")
        target = parser.loaded.target
        size = lessons[0].hidden.shape[1]
        torch.manual_seed(0)
        made = Head(HeadConfig(head, size, max(1, size // 64), 2 * size)).to(lessons[0].hidden)
        teacher = Teacher(made, target, lessons, rate)
        done = teacher.restore(output / "state.pt")
        saved = time.monotonic()
        while done < updates:
            result = teacher.teach(done / updates)
            done += 1
            if done % 50 == 0 or done == updates:
                right = result.right[0] / max(1, result.tried[0])
                say(f"update {done} of {updates}: loss {float(result.loss):.3f}, first token right {100 * right:.1f} %")
            if time.monotonic() - saved > SAVE_EVERY or done == updates:
                teacher.keep(output / "state.pt", done)
                saved = time.monotonic()
        found = teacher.examine()
        shares = [right / max(1, tried) for right, tried in zip(found.right, found.tried, strict=True)]
        save(
            made,
            output,
            target=parser.target_info.name,
            simulated=parser.target_info.random,
            acceptance_length=round(found.acceptance_length, 3),
            right_by_step=[round(share, 4) for share in shares],
            updates=updates,
            lessons=len(lessons),
        )
        by_step = ", ".join(f"{100 * share:.1f}" for share in shares)
        say(
            f"{output}: on lessons kept apart {found.acceptance_length:.2f} tokens in a row are right "
            f"(at most {len(shares)}; step by step {by_step} %)"
        )
    return 0


def _lessons(parser: Parser, inputs: list[str], kept: Path) -> list[Lesson]:
    """What the target writes for the pages, crop by crop where it reads them so, with its states. Made once."""
    import torch

    from docspec.bench.cli.common import sources_of
    from docspec.bench.generate import requests_of
    from docspec.console.terminal import say
    from docspec.core import UsageError
    from docspec.core.observer import NullObserver
    from docspec.documents import PageFailure, open_document
    from docspec.drafting import make_drafter
    from docspec.generation.local import make_decoder
    from docspec.hierarchy.page import PageParser
    from docspec_methods.teaching.lessons import Lesson, states_of

    if kept.exists():
        return [Lesson(*fields) for fields in torch.load(kept, weights_only=True)]
    lessons: list[Lesson] = []
    drafter = make_drafter(parser.options)
    pages = PageParser(parser.loaded, parser.dialect, drafter, parser.options, NullObserver())
    decoder = make_decoder(parser.loaded.target, parser.options)
    for source in sources_of(inputs):
        with open_document(source, parser.options.password) as document:
            for page in parser.page_images(document, parser.options.pages):
                if isinstance(page, PageFailure):
                    continue
                requests = requests_of(pages, pages.draft(page))
                if not requests:
                    continue  # nothing is on it
                written, _ = decoder.speculate(requests, max_rows=min(16, len(requests)))
                for request, output in zip(requests, written, strict=True):
                    if len(output.tokens) > 4:
                        lessons.append(states_of(parser.loaded.target, request.prompt, output.tokens))
        say(f"{source.name}: {sum(len(lesson.tokens) for lesson in lessons):,} tokens in all")
    if not lessons:
        raise UsageError("no page to learn from could be read")
    torch.save([(one.hidden, one.tokens, one.image, one.first) for one in lessons], kept)
    return lessons


app = typer.Typer(add_completion=False)
app.command()(train_head)

if __name__ == "__main__":
    app(prog_name="python -m docspec_methods.teaching")
