"""``python -m benchmarks.campaign.revisions REVISION REVISION...``: wall time of ``docspec parse`` at several
revisions of this repository, on the born-digital samples' first pages and on a generated document of 100 pages.

Each run is a process of its own, revisions take turns, and each goes first as often as the others. Words after ``--``
go to ``docspec parse``. To see what reading in processes of their own cost when it came: ``5a17837~1 5a17837``.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks.memory import write_pdf

ROOT = Path(__file__).parents[2]


def seconds(tree: Path, source: Path, more: list[str]) -> float:
    """Wall time of one run with the code in ``tree``; raises where it fails."""
    command = [sys.executable, "-m", "docspec", "parse", str(source), "-o", "-", "-q", "--model", "mini", *more]
    start = time.perf_counter()
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    subprocess.run(command, cwd=tree, env=environment, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("revisions", nargs="+", metavar="REVISION")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--samples", type=int, default=99, help="how many of them")
    own = sys.argv[1 : sys.argv.index("--")] if "--" in sys.argv else sys.argv[1:]
    more = sys.argv[len(own) + 2 :]
    asked = parser.parse_args(own)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        samples = sorted(path for path in (ROOT / "samples").glob("*.pdf") if not path.stem.endswith("-scan"))
        work = [(path, ["--pages", "1", *more]) for path in samples[: asked.samples]]
        work.append((write_pdf(folder / f"{asked.pages}-pages.pdf", asked.pages), more))
        trees = {each: folder / f"tree{index}" for index, each in enumerate(asked.revisions)}
        try:
            for revision, tree in trees.items():
                add = ["git", "worktree", "add", "-q", "--detach", str(tree), revision]
                subprocess.run(add, cwd=ROOT, check=True)
            for source, words in work:
                times: dict[str, list[float]] = {revision: [] for revision in trees}
                for turn in range(asked.repeats):
                    order = list(trees)
                    for revision in order[turn % len(order) :] + order[: turn % len(order)]:
                        times[revision].append(seconds(trees[revision], source, words))
                first = median(times[asked.revisions[0]])
                for revision, found in times.items():
                    print(
                        f"{source.name:28} {revision:12} median {median(found):7.2f} s "
                        f"({min(found):.2f} to {max(found):.2f}), {median(found) / first:.2f} of the first",
                        flush=True,
                    )
        finally:
            for tree in trees.values():
                subprocess.run(["git", "worktree", "remove", "--force", str(tree)], cwd=ROOT, check=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
