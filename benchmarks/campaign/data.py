"""Files that docspec reads beside documents: drafts, models, manifests, page journals, results and configurations.

Whatever they hold, the command ends with a documented exit code and in words of its own, other files of the same run
are made, and nothing outside the run's folder is written, replaced or removed.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random

from benchmarks.campaign import hostile
from benchmarks.campaign.case import Case, Result
from benchmarks.campaign.raw import document, text
from benchmarks.campaign.reading import QUICK
from benchmarks.campaign.worker import Ran, Worker

MANIFEST = "docspec.manifest.jsonl"
PAGES = [text(f"Page {number} of a small document", "with a second line of text on it") for number in (1, 2, 3)]
CONFIGURATION = {
    "max-tokens": 4,
    "format": ["json"],
    "drafter": "none",
    "stages": "none",
    "dpi": 50,
    "page-separator": "-- {page} --",
    "page-timeout": 30.0,
    "offline": True,
    "figures": "none",
    "max-megapixels": 2.5,
    "tau": 0.75,
    "max-tree": 8,
    "words": "model",
    "device": "cpu",
}
MODEL_FILES = ("config.json", "docspec.json", "generation_config.json", "preprocessor_config.json", "tokenizer.json")


class Data:
    """Sound files of every kind, made once below ``folder``, and how hostile ones are tried."""

    def __init__(self, worker: Worker, folder: Path) -> None:
        self._worker, self._sound = worker, folder / "sound"
        self._model = worker.model
        self._beside: set[str] = set()
        (self._sound / "in").mkdir(parents=True)
        (self._sound / "in" / "a.pdf").write_bytes(document(*PAGES))
        (self._sound / "victim.txt").write_text("somebody's own")
        for out in ("out", "begun"):
            ran = self._parse(self._sound, out, keep_journals=out == "begun")
            assert ran.code == 0, ran.said
        (self._sound / "my.toml").write_bytes(_toml(CONFIGURATION))
        ran = self._configured(self._sound)
        assert ran.code == 0, ran.said
        (self._sound / "made.json").unlink()
        (self._sound / "begun" / MANIFEST).unlink()
        (self._sound / "begun" / "a.json").unlink()
        [self._journal] = (self._sound / "begun").glob(".docspec-*.pages")
        self.runs: dict[str, tuple[int, Callable[[Sequence[Case], Path], list[Result]]]] = {
            "draft": (20, self._drafts),
            "model": (1, self._model_run),
            "manifest": (1, self._manifest),
            "journal": (1, self._journal_run),
            "result": (20, self._results),
            "configuration": (1, self._configuration),
        }

    def crafted(self) -> Iterator[Case]:
        """Each place of the sound file with a value that is wrong there, as many as there is room for."""
        for family, count in (("draft", 25), ("manifest", 25), ("journal", 20), ("result", 25)):
            value = self._value(family)
            found = list(hostile.places(value))
            for number in range(count):
                place = found[number * len(found) // count]
                new = (*hostile.NASTY, hostile.Deep())[number % (len(hostile.NASTY) + 1)]
                data = self._bytes(family, hostile.dumps(hostile.changed(value, place, new)))
                yield Case(family, f"{family} {number}: {'.'.join(map(str, place))}", "crafted", data)
        for number, (key, new) in enumerate(zip([*CONFIGURATION] * 2, hostile.NASTY, strict=False)):
            data = _toml({**CONFIGURATION, key: new})
            yield Case("configuration", f"configuration {number}: {key}", "crafted", data)
        for number, (file, data) in enumerate(self._crafted_models()):
            yield Case("model", f"{file}: {number}", "crafted", data)

    def mutants(self, family: str, seeds: Sequence[int]) -> Iterator[Case]:
        """One for each of ``seeds``."""
        for seed in seeds:
            random = Random(f"{family} {seed}")
            if family == "configuration":
                what, value = hostile.one_changed(CONFIGURATION, random)
                data = _toml(value)
                if random.random() < 0.3:
                    what, data = hostile.damaged(data, random)
            elif family == "model":
                file = random.choice((*MODEL_FILES, "model.safetensors"))
                sound = (self._model / file).read_bytes()
                what, data = (
                    hostile.damaged(sound[:4000], random) if file.endswith("s") else hostile.mutated(sound, random)
                )
                what, data = f"{file}: {what}", data + (sound[4000:] if file.endswith("s") else b"")
            else:
                by_line = family in ("manifest", "journal")
                what, data = hostile.mutated(self._sound_bytes(family), random, by_line=by_line)
            name = what if family == "model" else f"{family} {seed}: {what}"
            yield Case(family, name, "mutant", data)

    def run(self, family: str, cases: Sequence[Case], folder: Path) -> list[Result]:
        """What came of ``cases`` of one family; where a run of several went wrong, of each alone."""
        results = self.runs[family][1](cases, folder)
        if len(cases) > 1 and any(result.faults for result in results):
            return [result for case in cases for result in self.runs[family][1]([case], folder)]
        return results

    def _sound_bytes(self, family: str) -> bytes:
        paths = {"manifest": self._sound / "out" / MANIFEST, "journal": self._journal}
        return paths.get(family, self._sound / "out" / "a.json").read_bytes()

    def _value(self, family: str) -> object:
        lines = self._sound_bytes(family).splitlines()
        return json.loads(lines[-1] if family in ("manifest", "journal") else self._sound_bytes(family))

    def _bytes(self, family: str, last: bytes) -> bytes:
        if family not in ("manifest", "journal"):
            return last
        return b"".join([*self._sound_bytes(family).splitlines(keepends=True)[:-1], last + b"\n"])

    def _crafted_models(self) -> Iterator[tuple[str, bytes]]:
        for file in MODEL_FILES:
            sound = (self._model / file).read_bytes()
            for data in (b"", b"{", b"null", b"[" * 100_000, sound[: len(sound) // 2]):
                yield file, data
        weights = (self._model / "model.safetensors").read_bytes()
        size = int.from_bytes(weights[:8], "little")
        header = json.loads(weights[8 : 8 + size])
        first = next(name for name in header if name != "__metadata__")
        for data in (
            b"",
            weights[:4],
            weights[: len(weights) // 2],
            (2**62).to_bytes(8, "little") + weights[8:],
            weights[:8] + b"\xff" * size + weights[8 + size :],
            *(
                _tensors({**header, first: {**header[first], key: value}}, weights[8 + size :])
                for key, value in (("dtype", "F99"), ("shape", [2**40]), ("data_offsets", [0, 2**60]))
            ),
            _tensors({name: entry for name, entry in header.items() if name != first}, weights[8 + size :]),
        ):
            yield "model.safetensors", data

    def _parse(self, folder: Path, out: str, *more: str, keep_journals: bool = False, quick: bool = True) -> Ran:
        words = ["parse", "in", "-o", out, "--format", "json", "--model", str(self._model), *QUICK, *more]
        return self._worker.docspec(*words, cwd=folder, quick=quick, keep_journals=keep_journals, files=2)

    def _sandbox(self, folder: Path) -> Path:
        shutil.rmtree(folder / "box", ignore_errors=True)
        box = Path(shutil.copytree(self._sound, folder / "box"))
        self._beside = {path.name for path in folder.iterdir()}
        return box

    def _result(self, case: Case, box: Path, *runs: Ran) -> Result:
        result = Result(case.family, case.name, case.kind, runs[0].code, [f for ran in runs for f in ran.faults()])
        result.cpu, result.memory = sum(ran.cpu for ran in runs), max(ran.memory for ran in runs)
        result.said = "\n".join(ran.said[-600:] for ran in runs)
        for name in ("victim.txt", "in/a.pdf"):
            path = box / name
            if not path.is_file() or path.read_bytes() != (self._sound / name).read_bytes():
                result.faults.append(f"{name} was changed")
        if {path.name for path in box.parent.iterdir()} != self._beside:
            result.faults.append("a file outside the folder")
        return result

    def _manifest(self, cases: Sequence[Case], folder: Path) -> list[Result]:
        box = self._sandbox(folder)
        (box / "out" / MANIFEST).write_bytes(cases[0].data)
        runs = [self._parse(box, "out"), self._worker.docspec("status", "out", cwd=box)]
        result = self._result(cases[0], box, *runs)
        if runs[0].code == 0 and not (box / "out" / "a.json").is_file():
            result.faults.append("lost without a word")
        return [result]

    def _journal_run(self, cases: Sequence[Case], folder: Path) -> list[Result]:
        box = self._sandbox(folder)
        (box / "begun" / self._journal.name).write_bytes(cases[0].data)
        result = self._result(cases[0], box, ran := self._parse(box, "begun"))
        out = box / "begun" / "a.json"
        if ran.code == 0 and (not out.is_file() or len(json.loads(out.read_text())["pages"]) != len(PAGES)):
            result.faults.append("pages lost in silence")
        return [result]

    def _results(self, cases: Sequence[Case], folder: Path) -> list[Result]:
        box = self._sandbox(folder)
        shutil.copy(box / "out" / "a.json", box / "sound.json")
        names = [f"{number:03}.json" for number in range(len(cases))]
        for case, name in zip(cases, names, strict=True):
            (box / name).write_bytes(case.data)
        runs = [
            self._worker.docspec("convert", *names, "sound.json", "-o", f"{format}/", "--format", format, cwd=box)
            for format in ("md", "html", "chunks")
        ]
        results = []
        for case, name in zip(cases, names, strict=True):
            result = self._result(case, box, *runs)
            for ran, format in zip(runs, ("md", "html"), strict=False):
                made = box / format / f"{Path(name).stem}.{format}"
                if not made.is_file() and name not in ran.said:
                    result.faults.append("lost without a word")
                elif made.is_file() and format == "html" and b"<script>alert" in made.read_bytes():
                    result.faults.append("a script in HTML")
                if not (box / format / f"sound.{format}").is_file():
                    result.faults.append("lost for another's fault")
            results.append(result)
        return results

    def _drafts(self, cases: Sequence[Case], folder: Path) -> list[Result]:
        box = self._sandbox(folder)
        (box / "drafts").mkdir()
        (box / "in" / "a.pdf").unlink()
        names = [f"{number:03}" for number in range(len(cases))]
        for case, name in zip(cases, names, strict=True):
            shutil.copy(self._sound / "in" / "a.pdf", box / "in" / f"{name}.pdf")
            (box / "drafts" / f"{name}.json").write_bytes(case.data)
        words = ("--drafter", "saved", "--set", "drafts=drafts", "--words", "model")
        ran = self._parse(box, "read", *words)
        shutil.copy(self._sound / "in" / "a.pdf", box / "in")
        results = []
        for case, name in zip(cases, names, strict=True):
            result = self._result(case, box, ran)
            out = box / "read" / f"{name}.json"
            if not out.is_file() or len(json.loads(out.read_text())["pages"]) != len(PAGES):
                result.faults.append("a draft cost a page")
            results.append(result)
        return results

    def _configuration(self, cases: Sequence[Case], folder: Path) -> list[Result]:
        box = self._sandbox(folder)
        (box / "my.toml").write_bytes(cases[0].data)
        return [self._result(cases[0], box, self._configured(box))]

    def _configured(self, folder: Path) -> Ran:
        words = ("parse", "in/a.pdf", "-o", "made.json", "--config", "my.toml", "--model", self._model)
        return self._worker.docspec(*words, cwd=folder)

    def _model_run(self, cases: Sequence[Case], folder: Path) -> list[Result]:
        box = self._sandbox(folder)
        shutil.copytree(self._model, box / "model")
        (box / "model" / cases[0].name.partition(":")[0]).write_bytes(cases[0].data)
        words = ["parse", "in/a.pdf", "-o", "made.json", "--model", "model", "--offline", "--pages", "1"]
        words += ["--drafter", "none", "--set", "stages=none", "--max-tokens", "4", "--dpi", "50", "--device", "cpu"]
        return [self._result(cases[0], box, self._worker.docspec(*words, cwd=box, quick=False))]


def _toml(values: object) -> bytes:
    """``values`` as TOML where they are a table of what TOML knows, else something near it."""
    if not isinstance(values, dict):
        return hostile.dumps(values)
    lines = (str(key).encode(errors="replace") + b" = " + hostile.dumps(value) for key, value in values.items())
    return b"\n".join(lines)


def _tensors(header: object, rest: bytes) -> bytes:
    """A file of safetensors with that header."""
    data = json.dumps(header).encode()
    return len(data).to_bytes(8, "little") + data + rest
