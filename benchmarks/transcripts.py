"""What drafts are worth on outputs that a real model wrote earlier: replayed transcripts, no model runs.

A transcript's tokens stand for the target's greedy output. Each step a policy proposes its tree, the walk accepts
what agrees with the transcript, and the transcript's next token is the target's own (exact acceptance). So steps
are counted exactly as a model would need them, while nothing but the host's part of a step takes time.

How it is counted: the first token comes from the prompt's forward pass and is free; the end-of-sequence token must
be written by a step. ``tokens`` are the tokens that steps had to write, hence as many as the transcript has.

The copy bound is the fewest steps in which any policy that copies from the drafts could write an output. At each step
the longest draft substring that continues the output is taken, plus the target's own token. Taking the longest is
optimal, because whatever a shorter piece allows later, its longer version allows too. What a policy loses against the
bound is alignment; what the bound loses against the budget is what the drafts lack. A policy that also proposes text
that no draft holds can pass it.
"""

from __future__ import annotations

import gzip
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from docspec.core import InputError, PageDraft, PageImage, UsageError
from docspec.core.grammar import Grammar
from docspec.dialects import Dialect, make_dialect
from docspec.documents import PageFailure, open_document
from docspec.documents.sources import SUFFIXES
from docspec.drafting import SafeDrafter
from docspec.engine.acceptance import ExactAcceptance, traverse
from docspec.engine.proposer import TreeProposer
from docspec.engine.request import NeverStop, Request
from docspec.engine.row import Row
from docspec.proposing.registry import make_proposer
from docspec.targets.protocol import Prompt, Scores

_SEAM = chr(0x10FFFF)
"""Stands between drafts; no token has this number."""


def copy_bound(drafts: Iterable[Sequence[int]], output: Sequence[int], budget: int) -> int:
    """Steps that write ``output`` after its first token, which comes from the prompt's own forward pass.

    ``budget`` bounds a step's tree, the pending token included, so that at most ``budget - 1`` tokens are copied.
    """
    text, written = _SEAM.join(dict.fromkeys(map(as_text, drafts))), as_text(output)
    at, steps = 1, 0
    while at < len(written):
        at += longest_piece(text, written, at, budget - 1) + 1
        steps += 1
    return steps


def as_text(tokens: Sequence[int]) -> str:
    """A character for each token: ``str.find`` searches faster than a loop over tokens."""
    return "".join(map(chr, tokens))


def longest_piece(drafts: str, output: str, start: int, most: int) -> int:
    """The length of the longest piece of ``drafts`` that equals ``output[start:]`` so far, at most ``most``."""
    size = place = 0
    while size < min(most, len(output) - start):
        place = drafts.find(output[start : start + size + 1], place)  # a longer piece begins no earlier
        if place < 0:
            break
        size += 1
    return size


DIALECTS = {".md": "markdown", ".json": "layout-json"}
"""A transcript's suffix and the dialect that it is written in."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """A document and what a model wrote for its first page."""

    name: str
    document: Path
    text: str
    dialect: str


@dataclass(frozen=True, slots=True)
class Replay:
    """One transcript under one policy. Seconds are CPU time of the host: ``setup_seconds`` once for the page,
    ``host_seconds`` for all proposals with their ancestry masks; ``source_seconds`` are those of each source."""

    align: str
    tokens: int
    steps: int
    drafted: int
    setup_seconds: float
    host_seconds: float
    source_seconds: dict[str, float]

    @property
    def tokens_per_step(self) -> float:
        return self.tokens / self.steps

    @property
    def host_milliseconds_per_step(self) -> float:
        return 1e3 * self.host_seconds / self.steps


@dataclass(frozen=True, slots=True)
class PageReplay:
    """All policies on one transcript, beside the copy bound of the drafts that they shared."""

    name: str
    drafter: str
    note: str
    tokens: int
    drafts: int
    draft_tokens: int
    draft_seconds: float
    bound_steps: int
    replays: tuple[Replay, ...]

    @property
    def bound_tokens_per_step(self) -> float:
        return self.tokens / self.bound_steps


class TokenizerFile:
    """A ``tokenizers`` file (``.json`` or ``.json.gz``) as a codec; needs no model."""

    def __init__(self, path: Path) -> None:
        from tokenizers import Tokenizer

        try:
            data = path.read_bytes()
            if path.suffix == ".gz":
                data = gzip.decompress(data)
            self._tokenizer = Tokenizer.from_str(data.decode("utf-8"))
        except OSError as error:
            raise UsageError(f"{path}: cannot read the tokenizer: {error.strerror or error}") from error
        except Exception as error:
            raise UsageError(f"{path}: not a tokenizers file ({error}); a model's tokenizer.json is wanted") from error

    @property
    def end(self) -> int:
        """A number that no token has: the end of a sequence in replays."""
        return int(self._tokenizer.get_vocab_size(with_added_tokens=True)) + 1

    def tokenize(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def detokenize(self, tokens: list[int]) -> str:
        return str(self._tokenizer.decode(tokens, skip_special_tokens=False))


_FORMULA = re.compile(r"\$\$(.+?)\$\$|\\\[(.+?)\\\]|\$(?!\s)([^$\n]+?)\$|\\\((.+?)\\\)", re.DOTALL)
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\s+|.", re.DOTALL)
_OTHER_COMMANDS = {
    "\\frac": "\\dfrac", "\\to": "\\rightarrow", "\\leq": "\\le", "\\geq": "\\ge", "\\mathbf": "\\boldsymbol",
    "\\text": "\\mathrm", "\\ldots": "\\dots", "\\left": "", "\\right": "",
}  # fmt: skip


def respelt(text: str) -> str:
    """``text`` as a model of another family would spell its formulas: other marks around them, other commands of the
    same meaning, spaces between all signs."""

    def other(match: re.Match[str]) -> str:
        inner = next(group for group in match.groups() if group is not None)
        signs = [_OTHER_COMMANDS.get(sign, sign) for sign in _TOKEN.findall(inner) if not sign.isspace()]
        body = " ".join(sign for sign in signs if sign)
        display, dollars = match[1] is not None or match[2] is not None, match[0].startswith("$")
        if display:
            return f"\\[ {body} \\]" if dollars else f"$$ {body} $$"
        return f"\\( {body} \\)" if dollars else f"${body}$"

    return _FORMULA.sub(other, text)


def find_transcripts(inputs: Sequence[str | Path]) -> list[Transcript]:
    """The pairs among ``inputs``: documents, or folders that hold them, with ``NAME.md`` or ``NAME.json`` beside.

    Documents of a folder that have no transcript are left out; a named one without raises :class:`InputError`.
    """
    transcripts: list[Transcript] = []
    for given in map(Path, inputs):
        if not given.exists():
            raise InputError(f"{given}: not found")
        named = [given] if given.is_file() else sorted(given.rglob("*"))
        pairs = [pair for file in named if (pair := _pair(file)) is not None]
        if not pairs:
            raise InputError(f"{given}: no NAME.pdf with NAME.md or NAME.json beside it")
        transcripts.extend(pairs)
    return transcripts


def _pair(document: Path) -> Transcript | None:
    if document.suffix.lower() not in SUFFIXES:
        return None
    for suffix, dialect in DIALECTS.items():
        file = document.with_suffix(suffix)
        if file.is_file():
            try:
                text = file.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise InputError(f"{file}: cannot be read as UTF-8 text ({error})") from error
            if text.strip():
                return Transcript(document.stem, document, text, dialect)
    return None


def replay(
    proposer: TreeProposer,
    output: Sequence[int],
    budget: int,
    drafts: Sequence[Sequence[int]] = (),
    grammar: Callable[[], Grammar | None] | None = None,
) -> tuple[int, int, float, float]:
    """Verification steps, drafted tokens, CPU seconds of setting up and of proposing: ``proposer`` on ``output``.

    ``output`` ends with the end-of-sequence token; ``budget`` is the tree's size, the pending token included.
    """
    request = Request(Prompt({}, 0), tuple(map(tuple, drafts)), len(output) + 1, grammar)
    row = Row(request, 0, 0, frozenset(), NeverStop(), [output[0]])
    rule = ExactAcceptance()
    steps = drafted = 0
    seconds = -time.thread_time()
    proposer.begin(row)
    setup = seconds + time.thread_time()
    seconds = 0.0
    while len(row.output) < len(output):
        seconds -= time.thread_time()
        [tree] = proposer.propose([row], [budget])
        tree.ancestry()
        seconds += time.thread_time()
        outcome = traverse(tree, Scores(_choices(tree.depths, output, len(row.output))), rule)
        row.output += [*(tree.tokens[node] for node in outcome.path), outcome.token]
        steps += 1
        drafted += len(tree) - 1
        if len(row.output) < len(output):
            seconds -= time.thread_time()
            proposer.accepted(row, tree, outcome)
            seconds += time.thread_time()
    proposer.end(row)
    return steps, drafted, setup, seconds


def _choices(depths: Sequence[int], output: Sequence[int], written: int) -> list[int]:
    """The target's choice after each node, as if it were on the output's path; past the end, the end."""
    return [output[min(written + depth, len(output) - 1)] for depth in depths]


def replay_transcript(
    transcript: Transcript,
    drafter: SafeDrafter,
    codec: TokenizerFile,
    aligns: Sequence[str],
    budget: int = 128,
    dpi: float = 200.0,
    chains: bool = False,
) -> PageReplay:
    """Drafts the first page once and replays ``transcript`` under each policy, and under the copy bound; with
    ``chains`` each policy once more with one continuation a step in place of a tree (``NAME, chain``).

    Raises :class:`docspec.core.DocspecError` if the document or its first page cannot be read.
    """
    dialect: Dialect = make_dialect(transcript.dialect)
    output = [*codec.tokenize(transcript.text), codec.end]
    replays = []
    with first_page(transcript, dpi) as page:
        draft = drafter.draft(page)
        drafts = drafted_tokens(dialect, draft, page, codec)
        grammar = partial(dialect.grammar, draft, page.width, page.height)
    for align, chain in [(align, False) for align in aligns] + [(align, True) for align in aligns if chains]:
        proposer = make_proposer(align, codec, chains=chain)
        steps, drafted, setup, seconds = replay(proposer, output, budget, drafts, grammar)
        own = dict(proposer.seconds)
        name = f"{align}, chain" if chain else align
        replays.append(Replay(name, len(output) - 1, steps, drafted, setup, seconds, own))
    return PageReplay(
        transcript.name,
        draft.drafter,
        "; ".join(event.detail for event in draft.events) or draft.reason,
        len(output) - 1,
        len(drafts),
        sum(map(len, drafts)),
        draft.seconds,
        copy_bound(drafts, output, budget),
        tuple(replays),
    )


def drafted_tokens(dialect: Dialect, draft: PageDraft, page: PageImage, codec: TokenizerFile) -> list[tuple[int, ...]]:
    """The readings of ``draft`` as tokens, in the model's spelling."""
    return [tuple(codec.tokenize(text)) for text in dialect.page_drafts(draft, page.width, page.height)]


@contextmanager
def first_page(transcript: Transcript, dpi: float) -> Iterator[PageImage]:
    """The first page of the transcript's document at ``dpi``, open within this context. Raises
    :class:`docspec.core.InputError` if there is none, and the page's own error if it cannot be rendered."""
    with open_document(transcript.document) as document:
        for page in document.pages("1", dpi):
            if isinstance(page, PageFailure):
                raise page.error
            yield page
            return
    raise InputError(f"{transcript.document}: no pages")


def total(pages: Sequence[PageReplay]) -> PageReplay:
    """All pages as one: total tokens over total steps (``pages`` not empty, same policies in the same order)."""
    replays = [
        Replay(
            of_policy[0].align,
            sum(one.tokens for one in of_policy),
            sum(one.steps for one in of_policy),
            sum(one.drafted for one in of_policy),
            sum(one.setup_seconds for one in of_policy),
            sum(one.host_seconds for one in of_policy),
            {name: sum(one.source_seconds[name] for one in of_policy) for name in of_policy[0].source_seconds},
        )
        for of_policy in zip(*(page.replays for page in pages), strict=True)
    ]
    return PageReplay(
        "total",
        pages[0].drafter,
        "",
        sum(page.tokens for page in pages),
        sum(page.drafts for page in pages),
        sum(page.draft_tokens for page in pages),
        sum(page.draft_seconds for page in pages),
        sum(page.bound_steps for page in pages),
        tuple(replays),
    )
