"""The one typed configuration, built at the edge (command line or API) and passed down unchanged."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Stages = Literal["auto", "both", "page", "none"]
Graphs = Literal["auto", "cuda", "compile", "off"]
Align = Literal["window", "cursor"]
Schedule = Literal["sequential", "together"]
DrafterName = Literal["auto", "text-layer", "rapidocr", "ppstructure", "saved", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseOptions:
    """How to parse. Every field has the command line's name and default.

    ``tau=None`` is exact acceptance (argmax equality); a number in (0, 1] is the paper's equation 10.
    ``max_tokens`` is the generation budget of a page (``None``: what the target's card says, at most what fits).
    ``schedule`` says whether Stage 1 comes before Stage 2 (as in the paper) or runs beside it in one batch.
    ``align`` names the policy that finds the place in the drafts; ``window`` is the paper's n, for its policy only.
    ``max_tree`` is the number of tree tokens per step, the pending token included.
    ``graphs`` says how verification steps are run: captured as CUDA graphs, compiled, or eagerly (``off``).
    ``pages_in_flight`` is the number of pages of a document that are verified side by side, for throughput; each page's
    output is the same. It takes the place of ``schedule`` ``together``, and pages with a ``baseline`` go one by one.
    ``kv_memory`` bounds the key-value buffers, in MiB (``None``: unbounded for a page, batches of crops bounded).
    """

    # documents
    pages: str | None = None
    dpi: float = 200.0
    password: str | None = None
    # target
    model: str = "auto"
    device: str = "auto"
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    attention: Literal["auto", "eager", "sdpa"] = "auto"
    offline: bool = False
    kv_memory: int | None = None
    pages_in_flight: int = 1
    graphs: Graphs = "auto"
    # drafts
    drafter: DrafterName = "auto"
    drafts: Path | None = None
    ppstructure_models: Path | None = None
    ppstructure_engine: str = "onnxruntime"
    # speculation
    stages: Stages = "auto"
    schedule: Schedule = "sequential"
    align: Align = "cursor"
    window: int = 3
    tau: float | None = None
    max_tree: int = 64
    max_tokens: int | None = None
    baseline: bool = False

    @property
    def kv_limit(self) -> int | None:
        """``kv_memory`` in bytes."""
        return None if self.kv_memory is None else self.kv_memory * 2**20
