"""``python -m tests.campaign.kills``: a run over a folder is killed twenty times and has to end as if it had not been.

Moments are drawn at random, from before the first document to the middle of the last; each kill is followed by the same
command. Pages are scripted, processes and kills are not. Ends with 1 where tree or manifest differ.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
for room in ("cli", "corpus"):
    sys.path.insert(0, str(HERE / room))

from folder_runs import begun, documents, inputs, lines, parse, tree  # noqa: E402

PAGE_SECONDS = 0.02


def kill_and_go_on(source: Path, out: Path, kills: int, seed: int) -> None:
    """Starts ``docspec parse`` again and again, kills it ``kills`` times while it runs, and lets the last one end."""
    draw = random.Random(seed)
    for _ in range(kills):
        process = begun(source, out, "-v", page_seconds=PAGE_SECONDS)
        assert process.stderr is not None
        for _ in range(draw.randrange(1, 5)):  # events of its own, so that slow machines die at the same places
            while (line := process.stderr.readline()) and b" page " not in line:
                continue
        threading.Thread(target=process.stderr.read, daemon=True).start()
        time.sleep(draw.uniform(0, 1.5 * PAGE_SECONDS))
        process.kill()
        process.wait()
    parse(source, out)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--documents", type=int, default=24)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        names = [f"{index % 3}/{index}.pdf" for index in range(asked.documents)] + ["lost.pdf", "broken.pdf"]
        source = inputs(Path(folder, "in"), names)
        killed, whole = Path(folder, "killed"), Path(folder, "whole")
        kill_and_go_on(source, killed, asked.kills, asked.seed)
        parse(source, whole)
        finished = [line["document"] for line in lines(killed) if line["record"] == "document"]
        facts = {
            "files are those of a run in one go": tree(killed) == tree(whole),
            "so is the manifest": documents(killed) == documents(whole),
            "no document was finished twice": len(finished) == len(set(finished)),
        }
    for fact, holds in facts.items():
        print(f"{'yes' if holds else 'NO'}: {fact}")
    return 0 if all(facts.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
