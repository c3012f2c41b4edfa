"""What a user has today: transformers' own greedy ``generate``, a page or its crops one after the other."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

import torch
from transformers import LogitsProcessor, LogitsProcessorList, NoRepeatNGramLogitsProcessor

from docspec.core import PageImage, PageResult, PageTimings, StageStats
from docspec.hierarchy.page import PageParser

if TYPE_CHECKING:
    from docspec.targets.adapter import TransformersTarget
    from docspec.targets.rules import NgramBan


class GenerateReader:
    """Reads pages by ``generate`` with the very inputs and budgets that ``pages`` would give its own rows.

    All its seconds, prefill included, count as decoding: ``generate`` does not tell them apart.
    """

    def __init__(self, target: TransformersTarget, pages: PageParser) -> None:
        self._target = target
        self._pages = pages

    def parse(self, page: PageImage) -> PageResult:
        """The page's tokens and times; layout and rendering are those of all modes."""
        drafted = self._pages.draft(page)
        start = time.perf_counter()
        requests = self._pages.requests(drafted)
        encoded = time.perf_counter()
        tokens = tuple(
            token for request in requests for token in generated(self._target, request.prompt.inputs, request.budget)[0]
        )
        seconds = time.perf_counter() - encoded
        return PageResult(
            page.source,
            page.number,
            "ok",
            stage2=StageStats(tokens=len(tokens), steps=len(tokens), decode_seconds=seconds),
            timings=PageTimings(page.render_seconds, drafted.draft.seconds, prefill=encoded - start, stage2=seconds),
            token_ids=tokens,
        )


def generated(
    target: TransformersTarget, inputs: Mapping[str, torch.Tensor], budget: int, seconds: float | None = None
) -> tuple[list[int], bool]:
    """The tokens of ``generate`` for ``inputs``, the end token dropped, and whether there was one; the token that
    passes ``seconds`` is the last."""
    spec = target.kv_spec
    moved = {
        name: value.to(spec.device, spec.dtype if value.is_floating_point() else None) for name, value in inputs.items()
    }
    length = inputs["input_ids"].shape[1]
    bans = LogitsProcessorList(
        WindowedBan(ban, length) if ban.window else NoRepeatNGramLogitsProcessor(ban.size)
        for ban in target.rules.ngrams  # those of docspec.json, which generate does not read
    )
    with torch.inference_mode():
        ids = target.model.generate(
            **moved, do_sample=False, num_beams=1, max_new_tokens=budget, max_time=seconds, logits_processor=bans
        )
    written = ids[0, length:].tolist()
    tokens = [token for token in written if token not in target.eos_ids]
    return tokens, len(tokens) < len(written)


class WindowedBan(LogitsProcessor):
    """``ban`` as the published processor of DeepSeek-OCR defines it, run by run; ``given`` tokens are the prompt's.

    It shares nothing with what docspec follows along its trees, so that the two can be compared.
    """

    def __init__(self, ban: NgramBan, given: int) -> None:
        self._ban = ban
        self._given = given

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        """Scores ``(rows, vocab)`` with what may not follow ``input_ids`` ``(rows, length)`` at minus infinity."""
        size, window = self._ban.size, self._ban.window or 0
        scores = scores.clone()
        for row, written in enumerate(input_ids[:, self._given :].tolist()):
            last = written[len(written) - size + 1 :]
            for start in range(max(0, len(written) - window), len(written) - size + 1):
                run = written[start : start + size]
                if run[:-1] == last and run[-1] not in self._ban.exceptions:
                    scores[row, run[-1]] = -torch.inf
        return scores
