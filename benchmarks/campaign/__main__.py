"""``python -m benchmarks.campaign``: damaged and hostile files by the thousand, each read or used, each judged.

PDFs and images, drafts, models, manifests, page journals, results and configurations: sound ones damaged by a seed,
and crafted ones. A file passes when its command ends by itself with a documented exit code, without a traceback and
without an "unexpected" error, within the limits of time and memory, and without silent loss (``reading.py`` and
``data.py`` say what that is). All PDFs given are read as they are, too: each that is called damaged is a false alarm.
Results are kept in ``--out``, a line each; the same command goes on where it stopped. It rests while a file PAUSE
stands beside them.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.campaign import images
from benchmarks.campaign.case import Case, Result
from benchmarks.campaign.crafted import crafted
from benchmarks.campaign.data import Data
from benchmarks.campaign.mutants import mutant
from benchmarks.campaign.reading import Documents
from benchmarks.campaign.words import words_of
from benchmarks.campaign.worker import Worker

SHARES = {
    "pdf": 0.62,
    "image": 0.08,
    "result": 0.09,
    "draft": 0.08,
    "manifest": 0.04,
    "journal": 0.04,
    "configuration": 0.03,
    "model": 0.02,
}
"""Which part of the mutants is of which family."""
SOUND = "sound"
"""The family of the PDFs given, undamaged: what is said of them is a false alarm."""
DOCUMENTS = 20
"""PDFs or images of a run."""
SAMPLES = Path(__file__).parents[2] / "samples"


@dataclass(frozen=True)
class Batch:
    """Files of one family that are run together: mutants by their seeds, or ``crafted`` ones by their places."""

    name: str
    family: str
    numbers: range
    crafted: bool = False


class Campaign:
    """All cases of a campaign in batches, each with a name that tells what it holds."""

    def __init__(self, worker: Worker, folder: Path, inputs: Sequence[Path], mutants: int, seed: int) -> None:
        self._worker, self._folder, self._seed = worker, folder, seed
        self._data, self._documents = Data(worker, folder), Documents(worker)
        self._pdfs = [path for folder in inputs for path in _smallest(folder)]
        self._sound = sorted(path for folder in inputs for path in folder.rglob("*.pdf"))
        self._images = images.sound()
        self._words: dict[str, tuple[Counter[str], bool]] = {}
        self._counts = {family: round(mutants * share) for family, share in SHARES.items()}

    def batches(self) -> Iterator[Batch]:
        """The sound and the crafted files, then mutants of all families in turn, so that a part of a campaign has some
        of each."""
        for start in range(0, len(self._sound), DOCUMENTS):
            numbers = range(start, min(start + DOCUMENTS, len(self._sound)))
            yield Batch(f"{SOUND} {start}", SOUND, numbers)
        for family in SHARES:
            for start in range(0, len(self._crafted(family)), DOCUMENTS):
                yield Batch(f"{family} crafted {start}", family, range(start, start + DOCUMENTS), crafted=True)
        sizes = {"pdf": DOCUMENTS, "image": DOCUMENTS}
        sizes |= {name: size for name, (size, _) in self._data.runs.items()}
        steps = []
        for family, count in self._counts.items():
            size = max(sizes[family], 5)
            for start in range(0, count, size):
                seeds = range(self._seed + start, self._seed + min(start + size, count))
                steps.append((start / count, Batch(f"{family} {seeds[0]}-{seeds[-1]}", family, seeds)))
        yield from (batch for _, batch in sorted(steps, key=lambda step: step[0]))

    def run(self, batch: Batch) -> list[Result]:
        """What came of a batch."""
        family, numbers = batch.family, batch.numbers
        if family == SOUND:
            paths = self._sound[numbers.start : numbers.stop]
            return self._documents.alarms([Case(SOUND, p.name, SOUND, p.read_bytes()) for p in paths], self._folder)
        if batch.crafted:
            cases = self._crafted(family)[numbers.start : numbers.stop]
        else:
            cases = list(self._mutants(family, numbers))
        if family in ("pdf", "image"):
            return self._documents.run(cases, self._folder)
        size = self._data.runs[family][0]
        return [one for part in _parts(cases, size) for one in self._data.run(family, part, self._folder)]

    def _crafted(self, family: str) -> list[Case]:
        if family == "pdf":
            return [Case(family, f"{name}.pdf", "crafted", data) for name, data in crafted().items()]
        if family == "image":
            return [Case(family, name, "crafted", data) for name, data in images.crafted().items()]
        return [case for case in self._data.crafted() if case.family == family]

    def _mutants(self, family: str, seeds: Sequence[int]) -> Iterator[Case]:
        if family not in ("pdf", "image"):
            yield from self._data.mutants(family, seeds)
            return
        for seed in seeds:
            random = Random(f"{family} {seed}")
            if family == "pdf":
                path = random.choice(self._pdfs)
                name, data = path.name, path.read_bytes()
            else:
                name, data = random.choice(list(self._images.items()))
            kind, damaged = mutant(data, seed, image=family == "image")
            words, full = self._words_of(name, data)
            yield Case(family, f"{seed} {name}", kind, damaged, words, full)

    def _words_of(self, name: str, data: bytes) -> tuple[Counter[str], bool]:
        """The words of a sound file, and whether each of its pages has some."""
        if name not in self._words:
            path = self._folder / f"sound-{name}"
            path.write_bytes(data)
            found = self._worker.look(path, recognise=True, folder=self._folder)
            full = all(words_of(text).total() > 5 for text in found["texts"])
            self._words[name] = words_on_pages(found["texts"], found["seen"]), full
            path.unlink()
        return self._words[name]


def words_on_pages(texts: Sequence[str], seen: Sequence[str]) -> Counter[str]:
    """The words of a file's ``texts``, or those that the recogniser has ``seen`` where it sees fewer than half of them:
    such a text layer says other letters than the page shows."""
    told, shown = words_of("\n".join(texts)), words_of("\n".join(seen))
    return shown if seen and (told & shown).total() < told.total() / 2 else told


def _smallest(folder: Path) -> list[Path]:
    """The ten smallest PDFs below a folder that are not named as scans, which have no words to lose."""
    found = [path for path in sorted(folder.rglob("*.pdf")) if "scan" not in path.stem]
    return sorted(found, key=lambda path: path.stat().st_size)[:10]


def _parts(cases: Sequence[Case], size: int) -> Iterator[Sequence[Case]]:
    return (cases[start : start + size] for start in range(0, len(cases), size))


def commit() -> str:
    """What the checkout is at, with a mark where it was changed."""
    told = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
    return told.stdout.strip() or "unknown"


def results_so_far(path: Path) -> list[dict[str, Any]]:
    """The lines of all batches that were finished; those of one that was broken off are tried again."""
    lines, batch = list[dict[str, Any]](), list[dict[str, Any]]()
    for text in path.read_text().splitlines() if path.exists() else ():
        try:
            batch.append(json.loads(text))
        except ValueError:
            batch.clear()
            continue
        if "done" in batch[-1]:
            lines += batch
            batch.clear()
    return lines


def summary(lines: Sequence[dict[str, Any]]) -> str:
    """The figures of a campaign."""
    sound = [line for line in lines if line.get("family") == SOUND]
    results = [line for line in lines if line.get("family", SOUND) != SOUND]
    counts = Counter((line["family"], line["kind"] == "crafted") for line in results)
    families = ", ".join(f"{family} {counts[family, False]} + {counts[family, True]}" for family in SHARES)
    codes = Counter(line["code"] for line in results)
    wrong = Counter(fault for line in (*results, *sound) for fault in line["faults"])
    made = sum(count for (_, is_crafted), count in counts.items() if not is_crafted)
    doubtful = sum(line["doubtful"] for line in results)
    missing = sum(line.get("missing", 0) > 0 for line in results)
    unseen = sum(line["lost"] > 0.05 and not line["marked"] and not line["faults"] for line in results) - doubtful
    return (
        f"{made} mutants and {len(results) - made} crafted files (mutants + crafted: {families})\n"
        f"at {', '.join(sorted({line['commit'] for line in (*results, *sound)}))}\n"
        f"exit codes {', '.join(f'{code}: {codes[code]}' for code in sorted(codes, key=str))}; most memory "
        f"{max((line['memory'] for line in results), default=0) / 2**30:.2f} GiB; {unseen} documents show other words "
        f"than before they were damaged, and nobody can tell; {doubtful} lost words and are doubtful on every page; "
        f"of {missing} the ledger names words that are missing\n"
        f"faults: {', '.join(f'{fault}: {count}' for fault, count in wrong.most_common()) or 'none'}\n"
        f"false alarms: {sum(line['marked'] for line in sound)} of {len(sound)} sound PDFs"
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.campaign", description=__doc__)
    parser.add_argument(
        "--inputs", type=Path, nargs="+", default=[SAMPLES], help="folders of sound PDFs, ten of each are damaged"
    )
    parser.add_argument("--out", type=Path, default=Path("campaign.jsonl"), help="where the results are kept")
    parser.add_argument("--mutants", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=600, help="ends before a batch that would begin later")
    parser.add_argument("--only", choices=[SOUND, *SHARES], nargs="+", default=[SOUND, *SHARES], help="families")
    asked = parser.parse_args()
    from training.reader.checkpoint import init

    lines = results_so_far(asked.out)
    done = {line["done"] for line in lines if "done" in line}
    end = time.monotonic() + 60 * asked.minutes
    at = commit()
    with tempfile.TemporaryDirectory() as scratch, asked.out.open("a") as out:
        init(Path(scratch) / "model", size="tiny", seed=1)
        folder = Path(scratch) / "box"
        folder.mkdir()
        worker = Worker(Path(scratch) / "model")
        campaign = Campaign(worker, folder, asked.inputs, asked.mutants, asked.seed)
        for batch in campaign.batches():
            if batch.name in done or batch.family not in asked.only:
                continue
            if time.monotonic() > end:
                print("time is up; the same command goes on")
                break
            while Path(asked.out.parent, "PAUSE").exists():
                time.sleep(1)
            started = time.monotonic()
            new = [result.as_line() | {"commit": at} for result in campaign.run(batch)]
            new.append({"done": batch.name, "seconds": round(time.monotonic() - started, 1)})
            out.writelines(json.dumps(line) + "\n" for line in new)
            out.flush()
            lines += new
            faults = sum(bool(line.get("faults")) for line in new)
            print(f"{batch.name}: {new[-1]['seconds']} s" + (f", {faults} with faults" if faults else ""), flush=True)
        worker.close()
    print(summary(lines))
    failed = [line for line in lines if line.get("faults") or (line.get("family") == SOUND and line["marked"])]
    for line in failed:
        print(f"  {line['family']} {line['name']} ({line['kind']}): {', '.join(line['faults']) or 'false alarm'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
