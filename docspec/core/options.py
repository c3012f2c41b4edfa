"""The one typed configuration, built at the edge (command line or API) and passed down unchanged.

An option is declared here once, as a field with its help and its bounds. The command line, the benchmarks, the config
file and the Python interface all take it from here: another option is another field.
"""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from docspec.core.errors import UsageError
from docspec.core.plugins import with_plugins
from docspec.core.spelling import DialectName

Stages = Literal["auto", "both", "page", "none"]
Graphs = Literal["auto", "cuda", "compile", "off"]
Read = Literal["auto", "page", "regions"]
WordsFrom = Literal["auto", "model", "evidence"]
Schedule = Literal["sequential", "together"]
ImageScale = Literal["published", "as-is"]
Dtype = Literal["auto", "float32", "bfloat16", "float16"]
Quantize = Literal["none", "int8", "nf4"]
Exact = Literal["fast", "strict"]
Overlap = Literal["auto", "off"]
OnLoop = Literal["stop", "reread", "keep"]
Attention = Literal["auto", "eager", "sdpa", "split"]
EngineName = Literal["auto", "local", "server", "vllm", "llama", "ray"]
DrafterName = Literal["auto", "text-layer", "rapidocr", "text-layer+rapidocr", "ppstructure", "saved", "none"]
if not TYPE_CHECKING:
    DrafterName = with_plugins(DrafterName, "drafters")


class SkipPlan(NamedTuple):
    """When verification is skipped: ``uniform`` or ``similarity``, and how."""

    kind: str
    value: float


SERVED_IN_FLIGHT = 16
"""Pages that are read side by side where a server reads them."""

BUNDLED_MODELS = ("auto", "mini")
"""Names of the bundled reader."""

OPTION = "option"
"""Key of a field's metadata under which its :class:`Option` stands."""


@dataclass(frozen=True, slots=True)
class Option:
    """What a person is told of an option: ``group`` is the panel of the help page, ``least`` and ``most`` bound the
    value, ``flags`` are the names on the command line where they do not follow from the field's."""

    help: str
    group: str
    metavar: str | None = None
    least: float | None = None
    most: float | None = None
    flags: tuple[str, ...] = ()


def option(default: Any, help: str, group: str, **more: Any) -> Any:
    """A dataclass field that is an option of the command line (see :class:`Option` for ``more``)."""
    return field(default=default, metadata={OPTION: Option(help, group, **more)})


RENAMED = {
    "align": ("--proposer", "--align"),
    "graphs": ("--graph-mode", "--graphs"),
    "max_tree": ("--max-tree", "--budget"),
}
"""Fields whose flag has changed: the flag, and the former one, which works for one version more. Reports and manifests
have the fields' names, which stay."""


def flag_of(name: str) -> str:
    """The field ``name`` as it is spelled on the command line."""
    return RENAMED[name][0] if name in RENAMED else "--" + name.replace("_", "-")


def check(options: Any) -> None:
    """Raises ``UsageError`` where a field of the dataclass ``options`` is out of its declared bounds or choices."""
    types = get_type_hints(type(options))
    for each in fields(options):
        declared: Option | None = each.metadata.get(OPTION)
        value = getattr(options, each.name)
        if declared is None or value is None:
            continue
        kind = types[each.name]
        if get_origin(kind) is Literal and value not in get_args(kind):
            choices = ", ".join(map(str, get_args(kind)))
            raise UsageError(f"{flag_of(each.name)} {value}: choose among {choices}")
        if isinstance(value, int | float) and not isinstance(value, bool):
            least = -math.inf if declared.least is None else declared.least
            most = math.inf if declared.most is None else declared.most
            if not (math.isfinite(value) and least <= value <= most):
                bounds = f"at least {least:g}" if most == math.inf else f"between {least:g} and {most:g}"
                raise UsageError(f"{flag_of(each.name)} {value}: must be {bounds}")


OUTPUT, PAGES, MODEL, DRAFTS, SPECULATION = "Output", "Pages", "Model", "Drafts", "Speculation"
SERVERS = "Servers"


PLAIN_MARKDOWN = (
    "Reading by regions: words, headings (#, ##), lists and pipe tables only; no links, pictures, bold, italics, "
    "footnotes, further levels of headings or cells that span."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseOptions:
    """How to parse. Every field has the command line's name, help and default.

    ``tau=None`` is exact acceptance (argmax equality); a number in (0, 1] is the paper's equation 10.
    ``max_tokens`` is the generation budget of a page (``None``: what the target's card says, at most what fits).
    ``schedule`` says whether Stage 1 comes before Stage 2 (as in the paper) or runs beside it in one batch.
    ``align`` names what proposes tokens; ``window`` is the paper's n, for its policy only.
    ``max_tree`` is the number of tree tokens per step, the pending token included.
    ``pages_in_flight`` is the number of pages of a document that are verified side by side, for throughput; each page's
    output is the same. It takes the place of ``schedule`` ``together``, and pages with a ``baseline`` go one by one.
    With a ``server``, or an ``engine`` other than ``local``, another process decodes, and nothing here needs torch.
    ``image_scale`` ``published`` is what the model's published accuracy was measured with, ``as-is`` what costs least.
    ``kv_memory`` bounds the key-value buffers, in MiB (``None``: unbounded for a page, batches of crops bounded).

    Raises ``UsageError`` for values out of bounds and for options that exclude each other.
    """

    pages: str | None = option(None, "Pages to read, counted from 1. Default: all.", PAGES, metavar="1-3,7")
    dpi: float = option(200.0, "Pixels per inch that PDF pages are rendered at.", PAGES, least=1, most=9600)
    image_scale: ImageScale = option(
        "published",
        "Image files as large as the model's own tool shows them (dots.ocr: about twice), or as they are.",
        PAGES,
    )
    keep_rotation: bool = option(False, "Leave pages as they are whose text runs sideways.", PAGES)
    ignore_exif: bool = option(False, "Leave photographs as stored, whatever way up they were taken.", PAGES)
    max_megapixels: float = option(
        25.0, "Larger pages and images are reduced to this many million pixels; 0: never.", PAGES, least=0
    )
    page_timeout: float = option(
        120.0,
        "Most seconds that drawing and drafting a page may take, and opening a document.",
        PAGES,
        metavar="SECONDS",
        least=0.1,
    )
    document_timeout: float | None = option(
        None,
        "Most seconds that a document may take; its pages that are not drawn by then fail. Default: no end.",
        PAGES,
        metavar="SECONDS",
        least=0.1,
    )
    password: str | None = option(None, "Password of encrypted PDF files.", PAGES)

    model: str = option(
        "auto",
        "Hub name or local folder. auto: $DOCSPEC_MODEL, the config file, else the bundled reader.",
        MODEL,
        metavar="NAME|DIR",
    )
    device: str = option("auto", "Where the model runs.", MODEL, metavar="auto|cpu|cuda[:N]|mps")
    dtype: Dtype = option("auto", "Number format of the weights.", MODEL)
    quantize: Quantize = option(
        "none", "Linear weights in 8 or 4 bits, by bitsandbytes: less memory, another model's words.", MODEL
    )
    attention: Attention = option(
        "auto",
        "Attention implementation. split: over prefix and tree apart, for GPUs where docspec doctor finds that faster.",
        MODEL,
    )
    offline: bool = option(False, "Never open a connection; use what is on this machine.", MODEL)
    dialect: DialectName | None = option(
        None, "How the model writes pages. Default: what is known of it.", MODEL
    )
    prompt: str | None = option(
        None, "What the model is asked for a page. Default: what is known of it.", MODEL, metavar="TEXT"
    )
    graphs: Graphs = option(
        "auto",
        "How steps are run: captured as CUDA graphs, compiled, or as they come (off); auto: what works.",
        MODEL,
    )
    kv_memory: int | None = option(
        None,
        "Most MiB that key-value buffers may take; a page that needs more fails. Default: no bound.",
        MODEL,
        metavar="MIB",
        least=1,
    )
    pages_in_flight: int | None = option(
        None,
        "Pages read side by side, for throughput. Default: 1, and 16 where a server reads.",
        MODEL,
        metavar="N",
        least=1,
        most=64,
    )

    server: tuple[str, ...] = option(
        (),
        "Read with an OpenAI-compatible server (vLLM, docspec serve); needs no weights here. May be repeated: servers "
        "share the work. What it serves is told by its name, --model or --family.",
        SERVERS,
        metavar="URL",
    )
    server_key: str | None = option(
        None, "Its key. Default: $DOCSPEC_SERVER_KEY.", SERVERS, metavar="KEY"
    )
    served_model: str | None = option(
        None, "Which of its models, where it has several.", SERVERS, metavar="NAME"
    )
    family: str | None = option(
        None, "The family of a served model whose name does not tell it (qwen2_5_vl, dots_ocr, ...).", SERVERS
    )
    engine: EngineName = option(
        "auto",
        "What decodes: this process (local), a --server, vLLM or llama.cpp, started for the run. auto: server where "
        "one is named, llama for a model.gguf, else local. (ray is the former name of --scheduler ray.)",
        SERVERS,
    )
    engine_args: str | None = option(
        None, "Options of vLLM's own, in one text ('--enforce-eager --max-model-len 8192').", SERVERS, metavar="TEXT"
    )
    engine_python: Path | None = option(
        None,
        "The Python of an environment that has vLLM, or llama-cpp-python. Default: this one.",
        SERVERS,
        metavar="FILE",
    )
    mmproj: Path | None = option(
        None, "llama.cpp: the picture tower. Default: the one beside --model.", SERVERS, metavar="FILE.gguf"
    )

    drafter: DrafterName = option("auto", "What proposes text; auto decides page by page.", DRAFTS)
    drafts: Path | None = option(None, "Saved results, for --drafter saved.", DRAFTS, metavar="FILE|DIR")
    ocr_model: Path | None = option(
        None, "Another recognition model of RapidOCR, for scripts that its own cannot write.", DRAFTS, metavar="FILE"
    )
    ppstructure_models: Path | None = option(
        None, "Local PP-StructureV3 models, one folder each.", DRAFTS, metavar="DIR"
    )
    ppstructure_engine: str = option("onnxruntime", "What runs PP-StructureV3.", DRAFTS, metavar="NAME")

    read: Read = option(
        "auto",
        "The page as a whole, or its regions one by one as the layout gives them; auto: what the model was made for.",
        SPECULATION,
    )
    words: WordsFrom = option(
        "auto",
        "Whose words are written: the model's, token for token (model), or those of the file where they are sound and "
        "the model's for the rest (evidence). auto: evidence for the bundled reader, model for all others.",
        SPECULATION,
    )
    stages: Stages = option(
        "auto",
        "Check regions and page, the page only, or decode plainly (none); auto: what pays.",
        SPECULATION,
    )
    schedule: Schedule = option(
        "sequential", "Regions before the page, or together with it in one batch.", SPECULATION
    )
    align: str = option(
        "cursor",
        "What proposes tokens: cursor, the paper's window, or proposers joined with +.",
        SPECULATION,
        metavar="NAME[+NAME]",
    )
    window: int = option(3, "Tokens that must match to line up.", SPECULATION, least=1, most=1000)
    tau: float | None = option(
        None,
        "Relaxed acceptance (0 to 1, paper: 0.75). Default: exact, the model's own output.",
        SPECULATION,
        least=0,
        most=1,
    )
    trust_agreement: bool = option(
        False,
        "LOSSY. Reading by regions, take from the draft what text layer and recognition read alike to the letter, but "
        "for digits, formulas and tables; needs --drafter text-layer+rapidocr.",
        SPECULATION,
    )
    skip_verification: str | None = option(
        None,
        "LOSSY. Every K-th step (uniform:K), or where the tree's paths are alike (similarity:T, 0 to 1), take a "
        "drafted path unverified. Meant for heads (--proposer head:DIR).",
        SPECULATION,
        metavar="uniform:K|similarity:T",
    )
    exact: Exact = option(
        "fast",
        "Strict: choices that the shape of a step could tip are made again by a step of one token.",
        SPECULATION,
    )
    overlap: Overlap = option(
        "auto",
        "Begin a page that is read whole while its text is still recognised beside it (auto), or after that (off).",
        SPECULATION,
    )
    max_tree: int = option(64, "Tokens checked in one step.", SPECULATION, least=1, most=4096)
    on_loop: OnLoop = option(
        "stop",
        "Cut a page where its text only repeats itself, and no more (stop) or then read what it has not come to on "
        "crops (reread); or keep all that the model writes.",
        SPECULATION,
    )
    max_tokens: int | None = option(
        None, "Most tokens a page may have. Default: the model's limit.", SPECULATION, least=1
    )
    baseline: bool = option(False, "Also decode plainly and report the speed-up.", SPECULATION)
    plain_markdown: bool = option(False, PLAIN_MARKDOWN, OUTPUT)
    provenance: bool = option(
        False,
        "Keep for every word whether a draft had it, the model corrected it or wrote it alone (in JSON; --view asks "
        "for it).",
        SPECULATION,
    )

    def __post_init__(self) -> None:
        check(self)
        if not self.model:
            raise UsageError("--model is empty; name a model, or leave it out")
        if self.tau == 0:
            raise UsageError("--tau 0: must be above 0 and at most 1; leave it out for exact acceptance")
        if self.drafter == "saved" and self.drafts is None:
            raise UsageError("--drafter saved needs --drafts FILE or DIR")
        if self.words == "evidence" and self.read == "page":
            raise UsageError("--words evidence and --read page: choose one of them (a page read whole is the model's)")
        if self.in_flight > 1 and (self.baseline or self.schedule == "together") and not self.is_served:
            other = "--baseline" if self.baseline else "--schedule together"
            raise UsageError(f"--pages-in-flight {self.in_flight} and {other}: choose one of them")

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
        """What only the engine in this process can do is not asked of another one."""
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
            "--schedule together": self.schedule == "together",
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
        """Pages that are read side by side."""
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
    def evidence(self) -> bool:
        """Whether words that are known and were judged sound stand, and are not read by the model."""
        if self.words == "auto":
            bundled = self.model == "mini" if self.server else self.model in BUNDLED_MODELS
            return bundled and self.read != "page"
        return self.words == "evidence"

    @property
    def loads_late(self) -> bool:
        """Whether the model is loaded at the first page that needs it: the bundled reader, where words stand and
        nothing is asked of every page that only a model tells."""
        asked = self.baseline or self.provenance or self.trust_agreement
        return self.evidence and self.model in BUNDLED_MODELS and not asked and not self.is_served

    @property
    def overlaps(self) -> bool:
        """Whether a page may begin before its draft is there: alone, and where its regions are not verified first."""
        return self.overlap == "auto" and self.stages in ("auto", "page") and self.in_flight == 1

    @property
    def kv_limit(self) -> int | None:
        """``kv_memory`` in bytes."""
        return None if self.kv_memory is None else self.kv_memory * 2**20
