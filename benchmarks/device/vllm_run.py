"""Ten minutes of vLLM on a GPU: which ways are measured of which model, until the time is over; what is found, at once.

Run after the kit is installed (``vllm_kit``), once for each model. ``tiny``: small sizes, pictures and numbers, to
rehearse it on a processor. **Never run on a GPU.**
"""

from __future__ import annotations

import base64
import io
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from benchmarks.device import vllm_checkpoints, vllm_ways
from benchmarks.device.driver import commit
from benchmarks.device.vllm_ways import BOTH, DOCSPEC, HEAD, NGRAM, PLAIN, Asked, Way
from benchmarks.transcripts import DIALECTS, TokenizerFile
from docspec.core import PageDraft, UsageError
from docspec.core.validation import parsed_as
from docspec.dialects import make_dialect
from docspec.targets.registry import BUNDLED

MOST = 1024
"""Tokens of a transcript at most."""

TINY_IN_FLIGHT = (1, 4)

EQUAL = 16
EQUAL_TOKENS = 128
"""Answers of random weights that are compared, and their tokens."""

SPARE = 150.0
"""Seconds that are left for the servers in float32."""


@dataclass(frozen=True, slots=True)
class VllmRun:
    """``data`` as ``device prepare`` makes it; findings go to ``out``/results.jsonl. ``arguments`` are vLLM's own;
    without ``in_flight`` and ``dtype`` a rehearsal has few requests in float32, all else up to 64 in bfloat16."""

    data: Path
    out: Path
    model: str
    python: str
    seconds: float = 560.0
    tiny: bool = False
    in_flight: tuple[int, ...] = ()
    dtype: str = ""
    arguments: tuple[str, ...] = ()

    def run(self, tell: Callable[[str], None]) -> Path:
        """The file of findings. Raises :class:`docspec.core.UsageError` for an unknown model."""
        if self.model not in vllm_checkpoints.CHECKPOINTS:
            raise UsageError(f"--model {self.model}: choose among {', '.join(vllm_checkpoints.CHECKPOINTS)}")
        end = time.monotonic() + self.seconds
        self.out.mkdir(parents=True, exist_ok=True)
        file = self.out / "results.jsonl"
        checkpoint = vllm_checkpoints.CHECKPOINTS[self.model]
        ways = [PLAIN, DOCSPEC, NGRAM, *([HEAD, BOTH] if checkpoint.head else [])]
        with tempfile.TemporaryDirectory() as name:
            folder = vllm_checkpoints.write(self.model, Path(name) / self.model, self.tiny)
            pages, scripts = pages_of(self.data, min(checkpoint.marks.values()), self.tiny)
            written = Path(name) / "scripts.json"
            written.write_text(json.dumps(scripts))
            about = {"kind": "vllm", "model": self.model, "tiny": self.tiny, "pages": len(pages), "ways": ways}
            vllm_ways.emit(file, {**about, "commit": commit(self.data), "head_right": vllm_ways.HEAD_RIGHT})
            arguments = (*self._arguments(len(ways)), *self.arguments)
            dtype = self.dtype or ("float32" if self.tiny else "bfloat16")
            with vllm_ways.servers(folder, ways, written, self.python, dtype, arguments, tell) as started:
                self._timed(file, started, pages, scripts, end - SPARE, tell)
                self._compared(file, started, pages, dtype, tell)
            if not self.tiny and time.monotonic() < end - SPARE / 2:
                both = [PLAIN, DOCSPEC]
                with vllm_ways.servers(folder, both, written, self.python, "float32", arguments, tell) as started:
                    self._compared(file, started, pages, "float32", tell)
        return file

    def _arguments(self, servers: int) -> tuple[str, ...]:
        if self.tiny:
            return ("--enforce-eager", "--max-model-len", "1024", "--max-num-seqs", str(max(4, *self._in_flight)))
        share, most = f"{0.92 / servers:.2f}", str(max(64, *self._in_flight))
        return ("--gpu-memory-utilization", share, "--max-model-len", "8192", "--max-num-seqs", most)

    @property
    def _in_flight(self) -> tuple[int, ...]:
        return self.in_flight or (TINY_IN_FLIGHT if self.tiny else vllm_ways.IN_FLIGHT)

    def _timed(
        self,
        file: Path,
        ways: dict[str, Way],
        pages: Sequence[Asked],
        scripts: Sequence[list[int]],
        end: float,
        tell: Callable[[str], None],
    ) -> None:
        for way in ways.values():  # captured and compiled
            vllm_ways.timed(way, pages, scripts, 2)
        for in_flight in self._in_flight:
            for way in ways.values():
                if time.monotonic() > end:
                    vllm_ways.emit(file, {"kind": "skipped", "way": way.name, "in_flight": in_flight})
                    continue
                found = vllm_ways.timed(way, pages, scripts, in_flight)
                vllm_ways.emit(file, found)
                tell(f"{in_flight} in flight, {way.name}: {found['tokens_a_second']:.0f} tokens/s")

    def _compared(
        self, file: Path, ways: dict[str, Way], pages: Sequence[Asked], dtype: str, tell: Callable[[str], None]
    ) -> None:
        if PLAIN not in ways:
            return
        some = [pages[index % len(pages)] for index in range(len(pages) if self.tiny else EQUAL)]
        most = 24 if self.tiny else EQUAL_TOKENS
        for found in vllm_ways.compared(ways, some, most, dtype, 4):
            vllm_ways.emit(file, found)
            tell(f"{dtype}, {found['way']}: {found['equal']} of {found['answers']} answers equal")


def pages_of(data: Path, vocabulary: int, tiny: bool) -> tuple[list[Asked], list[list[int]]]:
    """The prepared pages and the tokens of their transcripts, below ``vocabulary``: another model's tokens stand for
    its own. A draft is the first spelling of the page's."""
    tokenizer = data / "tokenizer.json.gz"
    codec = TokenizerFile(tokenizer if tokenizer.is_file() else BUNDLED / "tokenizer.json")
    pages, scripts = [], []
    for number, (name, about) in enumerate(json.loads((data / "prepared.json").read_text())["transcripts"].items()):
        folder = data / "transcripts"
        transcript = folder / about["transcript"]
        draft = parsed_as(PageDraft, (folder / f"{name}.draft.json").read_bytes())
        with Image.open(folder / f"{name}.png") as opened:
            image = opened.convert("RGB")
        dialect = make_dialect(DIALECTS[transcript.suffix])
        spelled = next(iter(dialect.page_drafts(draft, *image.size)), "")
        tokens = [[token % vocabulary for token in codec.tokenize(text)] for text in (transcript.read_text(), spelled)]
        script = tokens[0][: 60 if tiny else MOST]
        if tiny:
            image = image.resize((224, 308))
        buffer = io.BytesIO()
        image.save(buffer, format="PNG")
        url = "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()
        pages.append(Asked(url, number, len(script), tokens[1][: 2 * MOST]))
        scripts.append(script)
    return pages, scripts


def table(file: Path) -> str:
    """The findings in ``file`` as Markdown: a row for each way and number in flight, then the answers compared."""
    from benchmarks.device.findings import Findings
    from benchmarks.device.markdown import table as markdown

    found = Findings.read(file)
    columns = ("in_flight", "way", "tokens_a_second", "p50_s", "p95_s", "accepted_a_verification")
    rows = [
        [one[name] for name in columns] + [f"{one['follow_their_transcript']} of {one['requests']}"]
        for one in found.of("timed")
    ]
    equal = [
        [one["dtype"], one["way"], f"{one['equal']} of {one['answers']}", one["accepted_tokens"], one["tokens"]]
        for one in found.of("equal")
    ]
    heads = ("in flight", "way", "tokens/s", "p50 s", "p95 s", "accepted a verification", "follow their transcript")
    tables = (
        markdown("Speed", heads, rows, "The head's share of right tokens is assumed; times are real."),
        markdown("Random weights' own answers", ("dtype", "way", "equal to plain", "accepted tokens", "tokens"), equal),
    )
    return "\n\n".join(filter(None, tables))
