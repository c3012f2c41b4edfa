"""``python -m benchmarks formulas``: formulas of typeset pages against their true LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from benchmarks.formulas.measure import Compared


def formulas(
    sources: Annotated[
        list[Path] | None,
        typer.Argument(metavar="DIR", help="A folder with pdfs/ and ground_truth/; with --none, --time PDFs."),
    ] = None,
    none: Annotated[bool, typer.Option("--none", help="List each formula of PDFs that should have none.")] = False,
    time: Annotated[bool, typer.Option("--time", help="Time the mathematics of each page of PDFs.")] = False,
    fit: Annotated[int, typer.Option(metavar="N", min=0, help="Fit the weights of evidence on N made pages.")] = 0,
    make: Annotated[int, typer.Option(metavar="N", min=0, help="First set so many pages there.")] = 0,
    seed: Annotated[int, typer.Option(help="What chance begins with.")] = 1,
    typesetter: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="What sets the pages in turn; 'all': all that is installed. Default: the base's."
        ),
    ] = None,
    node: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="npm's node_modules: katex compares displayed formulas as pictures; tex2typst, mathjax."
        ),
    ] = None,
    wrong: Annotated[bool, typer.Option("--wrong", help="List what is wrong and not called doubtful.")] = False,
) -> int:
    """How right formulas are, which wrong ones are not called doubtful, and how many are drawn as the same picture."""
    from benchmarks.formulas.measure import WRONG, compared
    from docspec.console.terminal import say

    if fit:
        return _fitted(fit, seed)
    if not sources:
        raise typer.BadParameter("a folder is needed", param_hint="DIR")
    if none:
        return _listed(sources)
    if time:
        return _timed(sources)
    if len(sources) > 1:
        raise typer.BadParameter("one folder at a time", param_hint="DIR")
    folder = sources[0]
    if make:
        from benchmarks.formulas.made import make as typeset

        typeset(folder, make, seed, _names(typesetter, node), node)
    found = list(compared(folder))
    for display, name in ((True, "displayed"), (False, "within lines")):
        own = [one for one in found if one.display is display]
        if own:
            say(_line(name, own))
        setters = sorted({setter for one in own if (setter := one.page.partition("-")[2])})
        for setter in setters if len(setters) > 1 else ():
            say(_line(f"  {setter}", [one for one in own if one.page.endswith(f"-{setter}")]))
    if wrong:
        for one in found:
            if one.likeness < WRONG and not one.doubtful:
                say(f"{one.page} {one.likeness:.2f}\n  {' '.join(one.truth.split())}\n  {one.latex}")
    if node is not None and (node / "katex").is_dir():
        say(_pictures([one for one in found if one.display], node / "katex" / "dist"))
    return 0


def _fitted(pages: int, seed: int) -> int:
    """Tells the weights that fit made pages, and how they and the present ones do on pages of another seed."""
    from benchmarks.formulas.fitting import errors, fitted, runs_of
    from docspec.console.terminal import say
    from docspec.mathematics.evidence import WEIGHTS

    weights = fitted(list(runs_of(pages, seed)))
    for name, weight in weights.items():
        say(f'"{name}": {weight}, now {WEIGHTS[name]}')
    others = list(runs_of(pages, seed + 1))
    for name, own in (("fitted", weights), ("present", WEIGHTS)):
        lost, false = errors(others, own)
        say(f"{name}, seed {seed + 1}: {len(others)} runs, {lost} formulas lost, {false} false")
    return 0


def _listed(sources: Sequence[Path]) -> int:
    from benchmarks.formulas.none import written
    from docspec.console.terminal import say

    pages = [page for file in _files(sources) for page in written(file)]
    for page in pages:
        for one in page.formulas:
            say(f"{page.source}, page {page.number}: {one.latex}, of: {one.line}")
    looked = sum(page.looked_at for page in pages)
    count = sum(len(page.formulas) for page in pages)
    say(f"{len(pages)} pages, {looked} of them with a font for mathematics: {count} formulas")
    return 0


def _timed(sources: Sequence[Path]) -> int:
    from statistics import median

    from benchmarks.formulas.timing import timed
    from docspec.console.terminal import say

    pages = sorted((page for file in _files(sources) for page in timed(file)), key=lambda page: -page.formulas)
    dense = [page for page in pages if page.formulas][:10]
    for page in dense:
        each = 60 * page.milliseconds / page.formulas
        place = f"{page.source}, page {page.number}"
        say(f"{place}: {page.formulas} formulas, {page.milliseconds:.1f} ms, 60 take {each:.0f}")
    if dense:
        mean = 60 * sum(page.milliseconds for page in dense) / sum(page.formulas for page in dense)
        say(f"the {len(dense)} pages with most formulas: 60 take {mean:.0f} ms")
    for looked_at, name in ((True, "without formulas, with a font for mathematics"), (False, "without such a font")):
        own = [page.milliseconds for page in pages if not page.formulas and page.looked_at is looked_at]
        if own:
            say(f"{len(own)} pages {name}: median {median(own):.2f} ms, at most {max(own):.2f} ms")
    return 0


def _files(sources: Sequence[Path]) -> list[Path]:
    return [file for source in sources for file in (sorted(source.glob("*.pdf")) if source.is_dir() else [source])]


def _names(typesetters: Sequence[str] | None, node: Path | None) -> Sequence[str]:
    from benchmarks.formulas.typesetting import BASE, installed

    return installed(node) if typesetters == ["all"] else typesetters or BASE


def _line(name: str, found: Sequence[Compared]) -> str:
    from benchmarks.formulas.measure import RIGHT, WRONG

    right = [one for one in found if one.likeness >= RIGHT]
    unnoticed = sum(one.likeness < WRONG and not one.doubtful for one in found)
    doubted = sum(one.doubtful for one in right)
    mean = sum(one.likeness for one in found) / len(found)
    return (
        f"{name}: {len(found)}, likeness {mean:.3f}, the same {len(right) / len(found):.3f}; "
        f"wrong and not doubtful {unnoticed} ({100 * unnoticed / len(found):.1f} %), "
        f"right and doubtful {doubted} ({100 * doubted / max(1, len(right)):.1f} %)"
    )


def _pictures(found: Sequence[Compared], katex: Path) -> str:
    import re
    import tempfile

    from benchmarks.formulas.drawing import draw
    from benchmarks.formulas.pictures import agreements

    with tempfile.TemporaryDirectory() as work:
        truth, read = Path(work) / "truth.pdf", Path(work) / "read.pdf"
        bare = [
            [re.sub(r"\\tag\{[^}]*\}", "", text.strip().strip("$")) for text in (one.truth, one.latex)] for one in found
        ]
        readable = draw([one for one, _ in bare], katex, truth)
        draw([other for _, other in bare], katex, read)
        scores = [score for score, known in zip(agreements(truth, read), readable, strict=True) if known]
    same = sum(score > 0.999 for score in scores)
    return (
        f"as pictures: {len(scores)} that KaTeX can read, the same {same} ({100 * same / max(1, len(scores)):.1f} %), "
        f"signs in their places {sum(scores) / max(1, len(scores)):.3f}"
    )
