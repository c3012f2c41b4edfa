"""transformers' own greedy ``generate``, a page or its crops one after the other: what a user has today, and the
reference of docspec's output, for which the inputs come from the checkpoint's own ``AutoProcessor``."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from transformers import LogitsProcessor, LogitsProcessorList, NoRepeatNGramLogitsProcessor

from docspec.core import PageImage, PageResult, PageTimings, StageStats
from docspec.core.safe_text import first_line
from docspec.dialects import Dialect
from docspec.drafting.drafted_page import DraftedPage
from docspec.engine.request import Request
from docspec.hierarchy.page import PageParser
from docspec.hierarchy.page_state import PageState
from docspec.hierarchy.regions.own_layout import lay_out

if TYPE_CHECKING:
    from docspec.targets.adapter import TransformersTarget
    from docspec.targets.registry import LoadedTarget
    from docspec.targets.rules import NgramBan

ModelInputs = Mapping[str, torch.Tensor]


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
        requests = requests_of(self._pages, drafted)
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
    target: TransformersTarget, inputs: ModelInputs, budget: int, seconds: float | None = None
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


@dataclass(frozen=True, slots=True)
class Reference:
    """The page's tokens from ``generate``, its end token dropped; ``ended`` tells whether there was one.

    ``inputs`` says who made the inputs, ``apart`` how docspec's own differ from them (empty: not at all).
    """

    tokens: tuple[int, ...]
    ended: bool
    inputs: str
    apart: str
    seconds: float


class ReferenceGenerator:
    """Runs ``generate`` on pages, with docspec's own inputs where ``AutoProcessor`` cannot be built."""

    def __init__(self, loaded: LoadedTarget, dialect: Dialect) -> None:
        self._loaded = loaded
        self._prompt = dialect.page_prompt
        self._why_not = ""
        self._processor: Any = None
        try:
            from transformers import AutoProcessor

            self._processor = AutoProcessor.from_pretrained(
                loaded.info.path, local_files_only=True, trust_remote_code=False
            )
        except Exception as error:
            self._why_not = f"AutoProcessor cannot be built here ({first_line(error)})"

    def page(self, image: PageImage, request: Request, file: Path | None) -> Reference:
        """``image`` read greedily, up to the budget of docspec's own ``request`` for it; ``file`` is its image
        file, where it has one."""
        started = time.perf_counter()
        inputs, made_by = self._inputs(image, file)
        apart = "" if inputs is None else difference(inputs, request.prompt.inputs)
        tokens, ended = generated(
            self._loaded.target, request.prompt.inputs if inputs is None else inputs, request.budget
        )
        return Reference(tuple(tokens), ended, made_by, apart, time.perf_counter() - started)

    def crops(self, requests: Sequence[Request]) -> Reference:
        """The crops of a page that is read by regions, one after the other, from docspec's own pixels."""
        started = time.perf_counter()
        answers = [generated(self._loaded.target, one.prompt.inputs, one.budget) for one in requests]
        tokens = tuple(token for written, _ in answers for token in written)
        ended = all(ended for _, ended in answers)
        return Reference(tokens, ended, "docspec's own crops, read by regions", "", time.perf_counter() - started)

    def _inputs(self, page: PageImage, file: Path | None) -> tuple[ModelInputs | None, str]:
        """The page through ``AutoProcessor``: an image file by its path, so that it is loaded as transformers does."""
        if self._processor is None:
            return None, f"docspec's own: {self._why_not}"
        if file is not None:
            try:
                return self._processed({"url": str(file)}), "AutoProcessor, which loaded the file itself"
            except (ImportError, RuntimeError):  # torchvision without its image extension
                from transformers.image_utils import load_image

                return self._processed({"image": load_image(str(file))}), "AutoProcessor and load_image"
        return self._processed({"image": page.image}), "AutoProcessor"

    def _processed(self, image: dict[str, Any]) -> ModelInputs:
        content = [{"type": "image", **image}, {"type": "text", "text": self._prompt}]
        return dict(
            self._processor.apply_chat_template(
                [{"role": "user", "content": content}],
                tokenize=True,
                return_dict=True,
                return_tensors="pt",
                add_generation_prompt=True,
            )
        )


def difference(theirs: ModelInputs, ours: ModelInputs) -> str:
    """The first input in which the two differ, and how; empty where they are equal."""
    if theirs.keys() != ours.keys():
        return f"other inputs: {', '.join(sorted(theirs.keys() ^ ours.keys()))}"
    for name, value in theirs.items():
        if value.shape != ours[name].shape:
            return f"{name}: {tuple(ours[name].shape)}, AutoProcessor's are {tuple(value.shape)}"
        if not value.equal(ours[name]):
            return f"{name}: by up to {float((value - ours[name]).abs().max()):.3g}"
    return ""


def requests_of(pages: PageParser, drafted: DraftedPage) -> list[Request]:
    """The decoder's requests for a drafted page without Stage 1: the page, or its crops in reading order."""
    state, context = PageState.begun(drafted), pages.context
    if not pages.regions.takes(state.page):
        return [context.engine.request_of(pages.whole.request(state))]
    lay_out(context, state)
    return [context.engine.request_of(crop.request) for crop in pages.regions.cut(state.page, state.draft).crops]
