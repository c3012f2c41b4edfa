"""Which parts of the check run, in which order, and how long each may take."""

from __future__ import annotations

FAMILY_SHARES = 4
"""Processes among which the model families are shared."""

LEAST_SECONDS = 12.0
"""What must be left for another stage to begin."""

Stage = dict[str, float]
"""Parts that run side by side, each ``name`` or ``name:argument`` with the most seconds that it may take."""

STAGES: tuple[Stage, ...] = (
    {"facts": 120},
    {
        **{f"families:{share}": 80 for share in range(FAMILY_SHARES)},
        "bundled:float32": 80,
        "bundled:bfloat16": 80,
        "doctor": 80,
    },
    {"pages:dots.ocr": 95},
    {"steps:dots.ocr": 35},
    {"attention": 30},
    {"parse": 55},
    {"speed": 40},
    {"steps:qwen3-vl-2b": 30},
    {"pages:qwen3-vl-2b": 45},
    {"steps:paddleocr-vl": 22},
    {"steps:hunyuan-ocr": 22},
    {"compile": 80},
)
"""What is right comes first, then what pages and steps cost; ``compile`` takes longest and matters least."""


def chosen(only: tuple[str, ...]) -> list[Stage]:
    """The stages with the parts that ``only`` names, whole (``steps:dots.ocr``) or by kind (``steps``); all of them
    where it names none. Raises ``ValueError`` for a name that no part has."""
    parts = [part for stage in STAGES for part in stage]
    for name in only:
        if name not in parts and name not in {part.partition(":")[0] for part in parts}:
            raise ValueError(f"no part is called {name}; there are {', '.join(parts)}")
    stages = [
        {part: most for part, most in stage.items() if not only or {part, part.partition(":")[0]} & set(only)}
        for stage in STAGES
    ]
    return [stage for stage in stages if stage]
