"""What is trained when: phases with sizes of image, learning rates and loss weights.

A plan is a list of phases and can be read from a JSON file of the same fields, so a long run can be steered:
stop it, edit the plan, resume.
"""

from __future__ import annotations

import json
import random
from dataclasses import asdict, dataclass, field
from pathlib import Path

from training.losses import Weights
from training.reader.model import CELL, ReaderSize

PAGE = (704, 960)
SLIDE = (960, 704)


@dataclass(frozen=True)
class Phase:
    """`steps` optimiser steps with the learning rate going from `rate[0]` to `rate[1]` (cosine) after `warm`
    steps. `sizes` maps "WxH" pixels to sampling weights (see `is_page`). `work` is the size of a step on one
    process, in units of 10^9 floating-point operations, `most` the largest batch, `noise` the share of scans. Of the
    crops, `tables` and `formulas` are the shares that are such (see there), of the rest `lines` the share of lines cut
    out of real-like pages (see `lines`).
    """

    name: str
    steps: int
    rate: tuple[float, float]
    sizes: dict[str, float]
    weights: Weights = field(default_factory=Weights)
    warm: int = 0
    work: float = 80.0
    noise: float = 0.3
    most: int = 64
    lines: float = 0.0
    tables: float = 0.0
    formulas: float = 0.0


ONE = {"320x32": 1.0, "448x32": 1.0, "256x64": 1.0, "512x64": 1.0}
FEW = {"256x64": 1.0, "448x64": 1.0, "640x64": 1.0, "320x96": 1.0, "512x96": 1.0, "384x128": 1.5, "576x128": 1.0}
MANY = {"320x192": 1.0, "448x224": 1.0, "608x256": 1.0, "320x320": 1.0, "480x384": 1.0, "640x384": 0.7}
SMALL = {"384x512": 1.0, "448x576": 1.0, "576x448": 1.0, "640x512": 1.2, "512x704": 1.0, "704x448": 1.2, "704x512": 1.5}
WHOLE = {"704x960": 1.5, "960x704": 0.3}


def mix(*parts: tuple[dict[str, float], float]) -> dict[str, float]:
    """Groups of sizes with shares; within a group by its own weights."""
    return {size: weight * share / sum(group.values()) for group, share in parts for size, weight in group.items()}


def grid(widths: dict[int, float], heights: dict[int, float]) -> dict[str, float]:
    """All combinations of widths and heights with the products of their weights."""
    return {f"{w}x{h}": a * b for w, a in widths.items() for h, b in heights.items()}


WIDTHS = {256: 1.0, 320: 2.0, 384: 1.2, 448: 1.2, 512: 1.0, 576: 1.0, 640: 1.0, 672: 0.6}
LOW, HIGH = ({64: 2.5, 96: 1.3, 128: 1.3}, {160: 0.9, 192: 0.9, 224: 0.7, 256: 0.6, 320: 0.8, 384: 0.6, 416: 0.4})
ANY = grid({128: 0.4, 192: 0.6, **WIDTHS}, {**LOW, **HIGH})
LONG = grid(WIDTHS, HIGH)

PLAN = (
    Phase("vision", 300, (2e-3, 1.8e-3), mix((FEW, 0.5), (MANY, 0.5)), Weights(vision_only=True), 20, 25.0),
    Phase("lines", 200, (1.6e-3, 1.5e-3), mix((ONE, 0.4), (FEW, 0.6)), Weights(guide=0.5), 30, 32.0),
    Phase(
        "crops", 600, (1.3e-3, 1.3e-3), mix((FEW, 0.6), (MANY, 0.4)), Weights(guide=0.5, bag=0.5), work=55.0, noise=0.2
    ),
    Phase(
        "pages",
        150,
        (1.3e-3, 1.3e-3),
        mix((ANY, 0.5), (LONG, 0.15), (SMALL, 0.2), (WHOLE, 0.15)),
        Weights(guide=0.5, bag=0.5, order=0.3, jump=6.0, far=18.0),
        work=110.0,
        noise=0.25,
    ),
    Phase(
        "decay",
        1200,
        (1.3e-3, 1e-5),
        mix((ANY, 0.12), (LONG, 0.27), (SMALL, 0.28), (WHOLE, 0.33)),
        Weights(guide=0.4, bag=0.4, order=0.3, jump=6.0, far=18.0),
        work=110.0,
        noise=0.2,
    ),
)


ROWS = grid({640: 1.0, 832: 1.0, 960: 1.5, 1152: 1.5, 1344: 1.0}, {32: 0.5, 64: 2.0, 96: 0.7})

DISTILLED = (
    Phase("vision", 300, (2e-3, 1.8e-3), mix((FEW, 0.5), (MANY, 0.5)), Weights(vision_only=True), 20, 12.0),
    Phase("lines", 400, (1.6e-3, 1.5e-3), mix((ONE, 0.5), (FEW, 0.5)), Weights(guide=0.5), 30, 16.0),
    Phase("rows", 800, (1.5e-3, 1.3e-3), mix((ROWS, 0.8), (FEW, 0.2)), Weights(bag=0.2), 0, 16.0, 0.25, lines=0.5),
    Phase("decay", 1200, (1.3e-3, 1e-5), ROWS, Weights(bag=0.1, dense=0.1), 0, 16.0, 0.25, lines=0.75),
)
"""What a small reader learns from a larger one: lines, which is how the bundled reader reads."""


def read_plan(path: Path | None) -> tuple[Phase, ...]:
    """The plan in a JSON file, or the one above."""
    if path is None:
        return PLAN
    entries = json.loads(path.read_text(encoding="utf-8"))
    return tuple(
        Phase(**{**entry, "rate": tuple(entry["rate"]), "weights": Weights(**entry.get("weights", {}))})
        for entry in entries
    )


def write_plan(plan: tuple[Phase, ...], path: Path) -> None:
    """Write a plan as JSON."""
    path.write_text(json.dumps([asdict(phase) for phase in plan], indent=1) + "\n", encoding="utf-8")


def dimensions(size: str) -> tuple[int, int]:
    """ "WxH" as integers."""
    width, height = size.split("x")
    return int(width), int(height)


def cost(width: int, height: int, size: ReaderSize, vision_only: bool) -> float:
    """About how many 10^9 floating-point operations one sample takes, forward and backward."""
    cells = width * height / CELL**2
    patches = 4 * cells
    vision = patches * size.vision_depth * (4 * size.vision_width**2 + 2 * size.vision_width * size.vision_mlp)
    vision += cells * 16 * size.vision_width**2 * 1.3 + 2 * size.vision_depth * patches**2 * size.vision_width
    if vision_only:
        return 6 * vision / 1e9
    sequence = cells + 25 + cells * 1.35
    per_token = size.depth * (3 * size.width**2 + 3 * size.width * size.mlp)
    text = sequence * per_token + 2 * size.depth * sequence**2 * size.width * 0.7
    return 6 * (vision + text) / 1e9


def choose(phase: Phase, step: int, seed: int) -> tuple[int, int]:
    """The image size of a step, the same on every process."""
    rng = random.Random(f"{seed}-{phase.name}-{step}")
    return dimensions(rng.choices(list(phase.sizes), list(phase.sizes.values()))[0])


def is_page(width: int, height: int) -> bool:
    """Sizes from 448 px height on are set as pages, smaller ones as crops."""
    return height >= 448
