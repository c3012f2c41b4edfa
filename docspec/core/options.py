"""The one typed configuration, built at the edge (command line or API) and passed down unchanged.

An option is declared here, as a field with its choices and bounds. The command line, the benchmarks, the config file
and the Python interface all read it from here: to add an option, add a field here and its help in
:mod:`docspec.console.help_texts`.
"""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from docspec.core.errors import UsageError
from docspec.core.languages import AUTO, Language, languages_of
from docspec.core.plugins import with_plugins
from docspec.core.spelling import DialectName

Stages = Literal["auto", "both", "page", "none"]
Graphs = Literal["auto", "cuda", "compile", "off"]
Read = Literal["auto", "page", "regions"]
WordsFrom = Literal["auto", "model", "evidence"]
ImageScale = Literal["published", "as-is"]
Dtype = Literal["auto", "float32", "bfloat16", "float16"]
Quantize = Literal["none", "int8", "nf4"]
Exact = Literal["fast", "strict"]
Overlap = Literal["auto", "off"]
Hidden = Literal["drop", "keep"]
OnLoop = Literal["stop", "reread", "keep"]
Attention = Literal["auto", "eager", "sdpa", "split"]
EngineName = Literal["auto", "local", "server", "vllm", "llama", "ray"]
DrafterName = Literal[
    "auto", "text-layer", "rapidocr", "tesseract", "text-layer+rapidocr", "ppstructure", "saved", "none"
]
if not TYPE_CHECKING:
    DrafterName = with_plugins(DrafterName, "drafters")
    EngineName = with_plugins(EngineName, "engines")


class SkipPlan(NamedTuple):
    """When verification is skipped: ``kind`` is ``uniform`` or ``similarity``, ``value`` its K or T."""

    kind: str
    value: float


SERVED_IN_FLIGHT = 16
"""Pages that a server reads side by side by default."""

BUNDLED_MODELS = ("auto", "mini")
"""Names of the bundled reader."""

BOUNDS = "bounds"
"""Key of the least and the greatest value in a field's metadata."""


def bounded(default: Any, *, least: float | None = None, most: float | None = None) -> Any:
    """A dataclass field whose value, unless it is ``None``, is from ``least`` to ``most``."""
    return field(default=default, metadata={BOUNDS: (least, most)})


RENAMED = {
    "align": ("--proposer", "--align"),
    "graphs": ("--graph-mode", "--graphs"),
    "max_tree": ("--max-tree", "--budget"),
}
"""Fields whose flag has changed: the flag, and the former one, which works for one version more. Reports and manifests
have the fields' names, which stay."""


LARGEST = 2**53
"""All options are smaller, because larger numbers do not fit where they are used."""


def flag_of(name: str) -> str:
    """The field ``name`` as it is spelled on the command line."""
    return RENAMED[name][0] if name in RENAMED else "--" + name.replace("_", "-")


def check(options: Any) -> None:
    """Raises ``UsageError`` if a field of the dataclass ``options`` is out of its declared bounds or choices."""
    types = get_type_hints(type(options))
    for each in fields(options):
        value, kind = getattr(options, each.name), types[each.name]
        if value is not None and get_origin(kind) is Literal and value not in get_args(kind):
            choices = ", ".join(map(str, get_args(kind)))
            raise UsageError(f"{flag_of(each.name)} {value}: choose among {choices}")
        if isinstance(value, int | float) and not isinstance(value, bool):
            low, high = each.metadata.get(BOUNDS, (None, None))
            least, most = -math.inf if low is None else low, math.inf if high is None else high
            fits = abs(value) < LARGEST  # false for NaN, too
            if not (fits and least <= value <= most):
                bounds = f"at least {least:g}" if fits else f"a number below {LARGEST}"
                bounds = bounds if most == math.inf else f"between {least:g} and {most:g}"
                raise UsageError(f"{flag_of(each.name)} {str(value)[:40]}: must be {bounds}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseOptions:
    """How to parse. Every field has the command line's name and default; the help of each is in
    :data:`docspec.console.help_texts.HELP`.

    ``tau=None`` is exact acceptance (argmax equality); a number in (0, 1] is the paper's equation 10.
    ``max_tokens`` is the generation budget of a page (``None``: what the target's card says, at most what fits).
    ``align`` names the proposer of tokens; ``window`` is the paper's n, for its policy only.
    ``max_tree`` is the number of tree tokens per step, the pending token included.
    ``pages_in_flight`` is the number of pages of a document that are verified side by side, for throughput; each page's
    output is the same; pages with a ``baseline`` go one by one.
    With a ``server``, or an ``engine`` other than ``local``, another process decodes, and nothing here needs torch.
    ``image_scale`` ``published`` is that of the model's published accuracy, ``as-is`` the cheapest one.
    ``kv_memory`` bounds the key-value buffers, in MiB (``None``: unbounded for a page, batches of crops bounded).

    Raises ``UsageError`` for values out of bounds and for options that exclude each other.
    """

    pages: str | None = None
    dpi: float = bounded(200.0, least=1, most=9600)
    image_scale: ImageScale = "published"
    keep_rotation: bool = False
    straighten: bool = False
    ignore_exif: bool = False
    hidden: Hidden = "drop"
    max_megapixels: float = bounded(25.0, least=0)
    page_timeout: float = bounded(120.0, least=0.1)
    document_timeout: float | None = bounded(None, least=0.1)
    password: str | None = None

    model: str = "auto"
    device: str = "auto"
    dtype: Dtype = "auto"
    quantize: Quantize = "none"
    attention: Attention = "auto"
    offline: bool = False
    dialect: DialectName | None = None
    prompt: str | None = None
    graphs: Graphs = "auto"
    kv_memory: int | None = bounded(None, least=1)
    pages_in_flight: int | None = bounded(None, least=1, most=64)

    server: tuple[str, ...] = ()
    server_key: str | None = None
    served_model: str | None = None
    family: str | None = None
    engine: EngineName = "auto"
    engine_args: str | None = None
    engine_python: Path | None = None
    mmproj: Path | None = None

    drafter: DrafterName = "auto"
    drafts: Path | None = None
    language: str = AUTO
    ocr_model: Path | None = None
    ppstructure_models: Path | None = None
    ppstructure_engine: str = "onnxruntime"

    read: Read = "auto"
    words: WordsFrom = "auto"
    stages: Stages = "auto"
    align: str = "cursor"
    window: int = bounded(3, least=1, most=1000)
    tau: float | None = bounded(None, least=0, most=1)
    trust_agreement: bool = False
    skip_verification: str | None = None
    exact: Exact = "fast"
    overlap: Overlap = "auto"
    max_tree: int = bounded(64, least=1, most=4096)
    on_loop: OnLoop = "stop"
    max_tokens: int | None = bounded(None, least=1)
    baseline: bool = False
    plain_markdown: bool = False
    provenance: bool = False

    def __post_init__(self) -> None:
        check(self)
        if not self.model:
            raise UsageError("--model is empty; name a model, or leave it out")
        if self.tau == 0:
            raise UsageError("--tau 0: must be above 0 and at most 1; leave it out for exact acceptance")
        if self.languages and self.ocr_model is not None and not self.ocr_model.is_dir():
            raise UsageError("--language and --ocr-model FILE: choose one of them (a folder of models goes with both)")
        if self.drafter == "saved" and self.drafts is None:
            raise UsageError("--drafter saved needs --drafts FILE or DIR")
        if self.straighten and self.drafter not in ("auto", "rapidocr", "tesseract"):
            raise UsageError(
                f"--straighten and --drafter {self.drafter}: choose auto, rapidocr or tesseract, which see it"
            )
        if self.words == "evidence" and self.read == "page":
            raise UsageError("--words evidence and --read page: choose one of them (a page read whole is the model's)")
        if self.in_flight > 1 and self.baseline and not self.is_served:
            raise UsageError(f"--pages-in-flight {self.in_flight} and --baseline: choose one of them")

        if self.exact == "strict" and (self.tau is not None or self.in_flight > 1) and not self.is_served:
            other = "--tau" if self.tau is not None else "--pages-in-flight"
            raise UsageError(f"--exact strict and {other}: choose one of them")
        if self.skips is not None and (self.exact == "strict" or self.align == "window"):
            other = "--exact strict" if self.exact == "strict" else "--proposer window"
            raise UsageError(f"{other} and --skip-verification: choose one of them")
        if self.trust_agreement and self.drafter != "text-layer+rapidocr":
            raise UsageError("--trust-agreement compares two readings: add --drafter text-layer+rapidocr")
        if self.trust_agreement and self.exact == "strict":
            raise UsageError("--exact strict and --trust-agreement: choose one of them")
        self._check_engine()

    def _check_engine(self) -> None:
        """Raises ``UsageError`` if another engine is asked for what only the one in this process can do."""
        if self.engine == "server" and not self.server:
            raise UsageError("--engine server needs --server URL")
        if self.server and self.engine not in ("auto", "server", "ray"):
            raise UsageError(f"--server and --engine {self.engine}: choose one of them")
        if not self.is_served:
            return
        asked = {
            "--baseline": self.baseline,
            "--provenance": self.provenance,
            "--trust-agreement": self.trust_agreement,
            "--tau": self.tau is not None,
            "--skip-verification": self.skip_verification is not None,
            "--exact strict": self.exact == "strict" and self.reads_with != "llama",
            "--engine-args": self.engine_args is not None and self.reads_with == "llama",
            "--quantize": self.quantize != "none",
        }
        for name, given in asked.items():
            if given:
                how = "--server" if self.server else f"--engine {self.reads_with}"
                raise UsageError(f"{name} and {how}: choose one of them (the engine in this process has it)")

    @property
    def reads_with(self) -> str:
        """The engine: ``local``, ``server``, ``vllm`` or ``llama``."""
        if self.engine in ("auto", "ray"):
            return "server" if self.server else "llama" if self.model.lower().endswith(".gguf") else "local"
        return self.engine

    @property
    def is_served(self) -> bool:
        """Whether another process decodes."""
        return self.reads_with != "local"

    @property
    def in_flight(self) -> int:
        """The number of pages that are read side by side."""
        if self.pages_in_flight is None:
            return SERVED_IN_FLIGHT if self.is_served else 1
        return self.pages_in_flight

    @property
    def skips(self) -> SkipPlan | None:
        """``skip_verification`` taken apart. Raises ``UsageError``."""
        if self.skip_verification is None:
            return None
        kind, _, text = self.skip_verification.partition(":")
        with contextlib.suppress(ValueError):
            value = float(text)
            if (kind == "uniform" and value >= 2 and value.is_integer()) or (kind == "similarity" and 0 < value <= 1):
                return SkipPlan(kind, value)
        raise UsageError(
            f"--skip-verification {self.skip_verification}: uniform:K with K of 2 or more, or similarity:T in (0, 1]"
        )

    @property
    def languages(self) -> tuple[Language, ...]:
        """The languages of ``language``; none for ``auto``. Raises ``UsageError``."""
        return languages_of(self.language)

    @property
    def evidence(self) -> bool:
        """Whether words that are known and were judged sound are kept and not read by the model."""
        if self.words == "auto":
            bundled = self.model == "mini" if self.server else self.model in BUNDLED_MODELS
            return bundled and self.read != "page"
        return self.words == "evidence"

    @property
    def loads_late(self) -> bool:
        """Whether the model is loaded at the first page that needs it: the bundled reader, if sound words are kept and
        no option needs the model on every page."""
        asked = self.baseline or self.provenance or self.trust_agreement
        return self.evidence and self.model in BUNDLED_MODELS and not asked and not self.is_served

    @property
    def overlaps(self) -> bool:
        """Whether a page may be begun before its draft is complete: if pages are read one by one, without Stage 1, and
        as they are."""
        in_time = self.overlap == "auto" and self.stages in ("auto", "page") and self.in_flight == 1
        return in_time and not self.straighten

    @property
    def kv_limit(self) -> int | None:
        """``kv_memory`` in bytes."""
        return None if self.kv_memory is None else self.kv_memory * 2**20
