"""The engine of this package in a process of its own, for each of several devices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from docspec.core import ParseOptions
from docspec.generation.interface import Generation, GenerationRequest, OnText
from docspec.generation.worker import Opened, with_picture
from docspec.process import silence
from docspec.targets.family import PublishedSight

if TYPE_CHECKING:
    from docspec.hierarchy.planner import Costs
    from docspec.targets.model_profile import ModelProfile
    from docspec.targets.processing import TokenizerCodec
    from docspec.targets.registry import LoadedTarget, TargetInfo


def limits_of(loaded: LoadedTarget) -> Mapping[str, int]:
    """The sizes that the image processor brings images to, if the dialect speaks in their pixels."""
    return loaded.target.processing.pixel_limits if loaded.card.dialect == "layout-json" else {}


def measured_costs(loaded: LoadedTarget, options: ParseOptions) -> tuple[Costs, tuple[str, ...]]:
    """The costs of steps here, if a decision depends on them, and what to say about it."""
    from docspec.hierarchy.calibration import calibrate
    from docspec.hierarchy.planner import Costs

    costs = Costs()
    if "auto" not in (options.drafter, options.stages):
        return costs, ()
    seconds = calibrate(loaded.target, costs, kv_limit=options.kv_limit)
    plain, wide = 1e3 * costs.step_seconds(1), 1e3 * costs.step_seconds(64)
    return costs, (f"measured in {seconds:.1f} s: {plain:.1f} ms for a step of one token, {wide:.1f} ms for one of 64",)


@dataclass(frozen=True, slots=True)
class DeviceFacts:
    """What the other processes need to know of a model on a device: its description and card, the sizes of its images,
    its tokenizer if tokens are looked at, the measured ``costs``, and ``notes`` for people."""

    info: TargetInfo
    card: ModelProfile
    sight: PublishedSight
    pixel_limits: Mapping[str, int]
    codec: TokenizerCodec | None
    costs: Costs
    notes: tuple[str, ...]


class DeviceEngine:
    """The engine of this package as a child process serves it."""

    def __init__(self, options: ParseOptions, sharing: int, quiet: bool) -> None:
        if quiet:
            silence()
        if sharing > 1:
            import torch

            torch.set_num_threads(max(1, torch.get_num_threads() // sharing))
        from docspec.engine.continuous import ROWS
        from docspec.generation.local import Engine
        from docspec.hierarchy.planner import Planner
        from docspec.targets.registry import load_target

        loaded = load_target(options)
        costs, notes = measured_costs(loaded, options)
        pace = Planner(costs).pacing() if options.stages == "auto" else None
        self._engine = Engine.of(loaded, options, costs.node_price, pace)
        sight, wants_tokens = loaded.target.sight, options.provenance or options.trust_agreement
        facts = DeviceFacts(
            loaded.info,
            loaded.card,
            PublishedSight(sight.factor, sight.least_pixels, sight.most_pixels),
            limits_of(loaded),
            loaded.target.codec if wants_tokens else None,
            costs,
            (*notes, *self._engine.notes),
        )
        self.opened = Opened(
            self._engine.name, max(ROWS, options.in_flight), loaded.target.max_length, follows_fields=True, facts=facts
        )

    def submit_all(
        self, requests: Sequence[GenerationRequest], listeners: Sequence[OnText | None]
    ) -> list[Future[Generation]]:
        return self._engine.submit_all(list(map(with_picture, requests)), listeners)

    def steps(self) -> Any:
        return self._engine.target.steps.report
