"""``python -m benchmarks formulas``: formulas of typeset pages against their true LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from benchmarks.formulas.measure import Compared


def formulas(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder with pdfs/ and ground_truth/.")],
    make: Annotated[int, typer.Option(metavar="N", min=0, help="First typeset so many pages there (pdflatex).")] = 0,
    seed: Annotated[int, typer.Option(help="What chance begins with.")] = 1,
    katex: Annotated[
        Path | None,
        typer.Option(
            metavar="DIST", show_default=False, help="npm's katex/dist: compare displayed formulas as pictures."
        ),
    ] = None,
    wrong: Annotated[bool, typer.Option("--wrong", help="List what is wrong and not called doubtful.")] = False,
) -> int:
    """How right formulas are, which wrong ones are not called doubtful, and how many are drawn as the same picture."""
    from benchmarks.formulas.measure import WRONG, compared
    from docspec.console.terminal import say

    if make:
        from benchmarks.formulas.made import make as typeset

        typeset(folder, make, seed)
    found = list(compared(folder))
    for display, name in ((True, "displayed"), (False, "within lines")):
        own = [one for one in found if one.display is display]
        if own:
            say(_line(name, own))
    if wrong:
        for one in found:
            if one.display and one.likeness < WRONG and not one.doubtful:
                say(f"{one.page} {one.likeness:.2f}\n  {' '.join(one.truth.split())}\n  {one.latex}")
    if katex is not None:
        say(_pictures([one for one in found if one.display], katex))
    return 0


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
