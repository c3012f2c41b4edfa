"""Speed-up against draft quality (the paper's figure 3) and what each drafter brings and costs (its table 5).

A page is drafted in many ways: by each drafter, by recognition of a degraded image, and with wrong characters or
moved boxes put into a draft. The target reads the same undegraded page each time, plainly and with each draft, in
turns within one run. Degradations and noise depend on nothing but their level and the seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

from benchmarks.accuracy import draft_blocks
from benchmarks.degradation import DEGRADATIONS, degraded_page
from benchmarks.draft_noise import Noise, degrade
from benchmarks.page_score import distance, normalise, page_text
from docspec.core import PageDraft, PageImage, PageResult, ParseOptions, UsageError
from docspec.core.choices import DrafterName, Stages
from docspec.core.observer import NullObserver
from docspec.core.stats import AcceptanceRatios
from docspec.documents import PageFailure, Source, open_document
from docspec.drafting import SafeDrafter, make_drafter
from docspec.hierarchy.calibration import calibrate
from docspec.hierarchy.page import PageParser
from docspec.hierarchy.planner import Costs, Planner
from docspec.parser import Parser

BY_DRAFTER = "drafter"
WARM_UP = 0.1
"""Share of a page's height that every drafter sees once untimed, so that loading its models is not counted."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is varied. ``recogniser`` reads degraded images; ``noise`` and ``jitter`` go into the draft of the first
    of ``drafters`` that finds text on the page. The units of the levels: ``resolution`` share of the pixels per inch,
    ``blur`` pixels, ``jpeg`` quality 1..95, ``noise`` share of the characters, ``jitter`` share of a box's side."""

    drafters: tuple[DrafterName, ...] = ("text-layer", "rapidocr", "none")
    recogniser: DrafterName = "rapidocr"
    levels: dict[str, tuple[float, ...]] = field(
        default_factory=lambda: {
            "resolution": (0.35, 0.2),
            "blur": (3.0,),
            "jpeg": (5.0,),
            "noise": (0.05, 0.2),
            "jitter": (0.1,),
        }
    )
    stages: Stages = "both"
    repeats: int = 3
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Variant:
    """One way of drafting: ``kind`` says what is varied and ``value`` how far (0 for a drafter as it is)."""

    kind: str
    value: float
    label: str
    draft: PageDraft
    note: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """Seconds of repeated runs: median and extremes."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Span:
        return cls(median(values), min(values), max(values))


@dataclass(frozen=True, slots=True)
class Point(AcceptanceRatios):
    """One variant on one page against plain decoding of it.

    ``accuracy`` is one minus the normalised edit distance between the draft's text and the target's own output.
    ``decode`` is draft + Stage 1 + Stage 2 (equation 12), ``verify`` the same without the draft, ``total`` everything
    from pixels to text. ``identical`` counts the runs (of ``runs``) whose tokens are those of plain decoding.
    """

    source: str
    page: int
    kind: str
    value: float
    label: str
    drafter: str
    accuracy: float
    draft_characters: int
    draft_seconds: float
    tokens: int
    steps: int
    accepted: int
    plain_decode: Span
    plain_total: Span
    verify: Span
    decode: Span
    total: Span
    identical: int
    runs: int
    note: str = ""

    @property
    def sr_verify(self) -> float:
        """Plain decoding over Stage 1 and Stage 2, as if the draft had been there."""
        return self.plain_decode.median / self.verify.median

    @property
    def sr_decode(self) -> float:
        """Equation 12, the draft's time included."""
        return self.plain_decode.median / self.decode.median

    @property
    def sr_e2e(self) -> float:
        """Equation 13."""
        return self.plain_total.median / self.total.median


class SettableDraft:
    """A drafter that answers with what was put into it."""

    name = "given"

    def __init__(self) -> None:
        self.current = PageDraft()

    def draft(self, page: PageImage) -> PageDraft:
        return self.current


class DraftMaker:
    """Makes the variants of a page; drafters are built once and warmed up at the first page."""

    def __init__(self, options: ParseOptions, plan: Plan) -> None:
        self._plan = plan
        names = dict.fromkeys((*plan.drafters, *((plan.recogniser,) if self._reads_images else ())))
        self._drafters = {name: make_drafter(replace(options, drafter=name)) for name in names}
        self._warm = False

    @property
    def _reads_images(self) -> bool:
        return any(self._plan.levels.get(kind) for kind in DEGRADATIONS)

    def variants(self, page: PageImage) -> Iterator[Variant]:
        """All variants of ``page``, the drafters as they are first."""
        if not self._warm:
            strip = page.image.crop((0, 0, page.width, max(1, round(WARM_UP * page.height))))
            for drafter in self._drafters.values():
                drafter.draft(replace(page, image=strip))
            self._warm = True
        plain = [self._drafted(BY_DRAFTER, 0.0, name, page) for name in self._plan.drafters]
        yield from plain
        for kind in DEGRADATIONS:
            for value in self._plan.levels.get(kind, ()):
                yield self._drafted(kind, value, self._plan.recogniser, degraded_page(page, kind, value))
        base = next((one.draft for one in plain if not one.draft.is_empty), None)
        if base is None:
            return
        for rate in self._plan.levels.get("noise", ()):
            yield Variant("noise", rate, f"noise {rate:g}", degrade(base, Noise.edits(rate, self._plan.seed)))
        for share in self._plan.levels.get("jitter", ()):
            yield Variant(
                "jitter", share, f"jitter {share:g}", degrade(base, Noise(jitter=share, seed=self._plan.seed))
            )

    def _drafted(self, kind: str, value: float, name: DrafterName, page: PageImage) -> Variant:
        draft = self._drafters[name].draft(page)
        label = name if kind == BY_DRAFTER else f"{kind} {value:g}"
        return Variant(kind, value, label, draft, "; ".join(event.detail for event in draft.events))


def measure(
    parser: Parser, sources: Sequence[Source], plan: Plan, on_point: Callable[[Point], None] | None = None
) -> list[Point]:
    """Measures every selected page of ``sources`` (``parser.options``); raises :class:`UsageError` without a level."""
    if not plan.drafters and not any(plan.levels.values()):
        raise UsageError("nothing to compare: name a drafter or a level")
    points: list[Point] = []
    maker = DraftMaker(parser.options, plan)
    reader = _Reader(parser, plan)
    for source in sources:
        with open_document(source, parser.options.password) as document:
            for page in parser.page_images(document, parser.options.pages):
                if isinstance(page, PageFailure):
                    raise page.error
                for point in reader.points(page, list(maker.variants(page))):
                    points.append(point)
                    if on_point is not None:
                        on_point(point)
    return points


class _Reader:
    """Reads pages plainly and with given drafts, in turns."""

    def __init__(self, parser: Parser, plan: Plan) -> None:
        self._parser = parser
        self._repeats = plan.repeats
        self._given = SettableDraft()
        costs = Costs()
        calibrate(parser.loaded.target, costs, kv_limit=parser.options.kv_limit)
        self._plainly = self._page_parser("none", costs)
        self._speculating = self._page_parser(plan.stages, costs)
        self._warm = False

    def points(self, page: PageImage, variants: Sequence[Variant]) -> list[Point]:
        if not self._warm:
            self._read(page, None)
            self._read(page, max(variants, key=lambda variant: len(variant.draft.regions)).draft)
            self._warm = True
        drafts = [None, *(variant.draft for variant in variants)]
        runs: list[list[PageResult]] = [[] for _ in drafts]
        for turn in range(self._repeats):
            for place in range(len(drafts)):
                index = (place + turn) % len(drafts)
                runs[index].append(self._read(page, drafts[index]))
        return [
            self._point(page, variant, runs[0], with_draft)
            for variant, with_draft in zip(variants, runs[1:], strict=True)
        ]

    def _read(self, page: PageImage, draft: PageDraft | None) -> PageResult:
        self._given.current = draft or PageDraft()
        result = (self._plainly if draft is None else self._speculating).parse(page)
        if result.error is not None:
            raise UsageError(result.error)
        return result

    def _page_parser(self, stages: Stages, costs: Costs) -> PageParser:
        options = replace(self._parser.options, stages=stages)
        loaded, dialect = self._parser.loaded, self._parser.dialect
        drafter = SafeDrafter(self._given)
        return PageParser(loaded, dialect, drafter, options, NullObserver(), Planner(costs))

    def _point(
        self, page: PageImage, variant: Variant, plain: Sequence[PageResult], runs: Sequence[PageResult]
    ) -> Point:
        drafted = normalise(page_text(draft_blocks(self._parser, page, variant.draft)))
        own = normalise(page_text(plain[0].blocks))
        cut = any(event.kind in ("budget_reached", "loop_stopped") for event in plain[0].events)
        first = runs[0].stage2
        times = [run.timings for run in runs]
        return Point(
            source=page.source,
            page=page.number,
            kind=variant.kind,
            value=variant.value,
            label=variant.label,
            drafter=variant.draft.drafter,
            accuracy=1 - (beginning_distance if cut else distance)(drafted, own),
            draft_characters=len(drafted),
            draft_seconds=variant.draft.seconds,
            tokens=len(plain[0].token_ids),
            steps=first.steps if first else 0,
            accepted=first.accepted if first else 0,
            plain_decode=Span.of([run.timings.stage2 for run in plain]),
            plain_total=Span.of([run.timings.total for run in plain]),
            verify=Span.of([t.stage1 + t.stage2 for t in times]),
            decode=Span.of([t.draft + t.stage1 + t.stage2 for t in times]),
            total=Span.of([t.total for t in times]),
            identical=sum(same_tokens(plain[0], run) for run in runs),
            runs=len(runs),
            note=variant.note,
        )


def same_tokens(plain: PageResult, run: PageResult) -> bool:
    """Whether both wrote the same tokens, or the same as far as the loop guard, which knows the draft, let them."""
    one, other = plain.token_ids, run.token_ids
    if one == other:
        return True
    shorter = min(len(one), len(other))
    stopped = any(event.kind == "loop_stopped" for event in (*plain.events, *run.events))
    return stopped and one[:shorter] == other[:shorter]


def beginning_distance(draft: str, output: str) -> float:
    """Normalised edit distance of ``output``, which was cut off, to the beginning of ``draft`` that suits it best."""
    lengths = {round(len(output) * share / 20) for share in range(10, 31)}
    return min(distance(draft[:length], output) for length in lengths) if output else 0.0


def levels(points: Sequence[Point]) -> dict[str, list[Point]]:
    """Points of all pages by label, in the order in which the labels first came."""
    found: dict[str, list[Point]] = {}
    for point in points:
        found.setdefault(point.label, []).append(point)
    return found


def overall(points: Sequence[Point], part: str) -> float:
    """Plain seconds of all ``points`` over those of ``part``: ``verify``, ``decode`` or ``total``."""
    plain = "plain_total" if part == "total" else "plain_decode"
    return sum(getattr(p, plain).median for p in points) / sum(getattr(p, part).median for p in points)
