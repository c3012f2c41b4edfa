"""The one typed configuration, built at the edge (command line or API) and passed down unchanged.

To add an option, add a field here (:mod:`docspec.core.option`), and below it what it does not go with.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path

from docspec.core.choices import (
    BUNDLED_MODELS,
    SERVED_IN_FLIGHT,
    Attention,
    DialectName,
    DrafterName,
    Dtype,
    EngineName,
    Exact,
    Formulas,
    Graphs,
    Hidden,
    ImageScale,
    OnLoop,
    Overlap,
    PlacesFrom,
    Quantize,
    Read,
    SkipPlan,
    Stages,
    WordsFrom,
)
from docspec.core.errors import UsageError
from docspec.core.languages import AUTO, Language, languages_of
from docspec.core.option import (
    DRAFTS,
    MODEL,
    OUTPUT,
    PAGES,
    SERVERS,
    SPECULATION,
    check,
    option,
    options_of,
    setting,
    spelled,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseOptions:
    """How to parse. Every field has the command line's name, default and help.

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

    pages: str | None = option(
        None, "Pages, counted from 1; a range ends with the document. Default: all.", PAGES, "1-3,7"
    )
    dpi: float = option(
        200.0, "Resolution at which PDF pages are rendered, in pixels per inch.", PAGES, least=1, most=9600
    )
    image_scale: ImageScale = setting(
        "published",
        "Scale of image files: that of the model's own tool (published; dots.ocr: about 2), or none (as-is).",
        PAGES,
    )
    keep_rotation: bool = setting(False, "Do not turn pages whose text runs sideways.", PAGES)
    straighten: bool = setting(
        False,
        "Show the model recognised pages straight: crooked scans, and sheets photographed in perspective, from above.",
        PAGES,
    )
    ignore_exif: bool = setting(False, "Do not turn photographs by the orientation that their EXIF data names.", PAGES)
    hidden: Hidden = setting(
        "drop",
        "Text that nobody sees (not painted, covered, in the colour of its ground, on a layer that is off, "
        "...): leave it out and say so (drop), or write it, marked as hidden (keep).",
        PAGES,
    )
    formulas: Formulas = option(
        "latex",
        "Formulas in a file's own type: LaTeX where they are read with certainty (latex), their signs as the file has "
        "them (text), or those that stand alone as pictures (picture).",
        PAGES,
    )
    max_megapixels: float = setting(
        25.0, "Reduce larger pages and images to this many million pixels; 0: never.", PAGES, least=0
    )
    page_timeout: float = option(
        120.0, "Time limit for rendering and drafting a page, and for opening a document.", PAGES, "SECONDS", least=0.1
    )
    document_timeout: float | None = setting(
        None,
        "Time limit for a document; pages that are not rendered by then fail. Default: none.",
        PAGES,
        "SECONDS",
        least=0.1,
    )
    password: str | None = option(None, "Password of encrypted PDF files.", PAGES)

    model: str = option(
        "auto",
        "Name on the Hugging Face hub, or local folder. Default (auto): $DOCSPEC_MODEL, the config file, "
        "else the bundled reader.",
        MODEL,
        "NAME|DIR",
        variable="DOCSPEC_MODEL",
    )
    device: str = option("auto", "Device that the model runs on.", MODEL, "auto|cpu|cuda[:N]|mps")
    dtype: Dtype = option("auto", "Number format of the weights.", MODEL)
    quantize: Quantize = setting(
        "none",
        "Load linear weights in 8 or 4 bits, with bitsandbytes: less memory, but not the same output as without.",
        MODEL,
    )
    attention: Attention = setting(
        "auto",
        "Attention implementation. split has steps attend by kernels that divide the keys of a prefix among"
        " a GPU's processors (CUDA, Triton); auto takes it where it was measured to be faster.",
        MODEL,
    )
    offline: bool = option(False, "Open no network connection; use only what is on this machine.", MODEL)
    dialect: DialectName | None = setting(
        None, "Output format of the model. Default: the one known for this model.", MODEL
    )
    prompt: str | None = setting(None, "Prompt for each page. Default: the one known for this model.", MODEL, "TEXT")
    graphs: Graphs = setting(
        "auto",
        "Run steps as CUDA graphs (cuda), compiled (compile) or eagerly (off); auto: what works.",
        MODEL,
        flags=("--graph-mode",),
    )
    kv_memory: int | None = setting(
        None,
        "Memory limit of the key-value buffers; a page that needs more fails. Default: none.",
        MODEL,
        "MIB",
        least=1,
    )
    pages_in_flight: int | None = option(
        None,
        "Pages decoded side by side, for throughput. Default: 1, and 16 where another process decodes.",
        MODEL,
        "N",
        least=1,
        most=64,
    )

    server: tuple[str, ...] = option(
        (),
        "OpenAI-compatible server that decodes (vLLM, docspec serve); no weights are needed here. May be "
        "repeated: the servers share the work. The model's family is known from its name there, from "
        "--model or from the setting family.",
        SERVERS,
        "URL",
    )
    server_key: str | None = option(
        None, "API key of the server. Default: $DOCSPEC_SERVER_KEY.", SERVERS, "KEY", variable="DOCSPEC_SERVER_KEY"
    )
    served_model: str | None = setting(None, "Model to use, where the server has several.", SERVERS, "NAME")
    max_wait: float = setting(
        300.0,
        "Longest rest that a server may ask for (Retry-After); if it asks for more, the run ends and can go on later.",
        SERVERS,
        "SECONDS",
        least=0.0,
    )
    family: str | None = setting(
        None, "Family of a served model whose name does not show it (qwen2_5_vl, dots_ocr, ...).", SERVERS
    )
    engine: EngineName = option(
        "auto",
        "What decodes: this process (local), a --server, or vLLM or llama.cpp, started for the run. Default"
        " (auto): server where one is named, llama for a model.gguf, else local.",
        SERVERS,
    )
    engine_args: str | None = setting(
        None, "Arguments for vLLM, as one text ('--enforce-eager --max-model-len 8192').", SERVERS, "TEXT"
    )
    engine_python: Path | None = setting(
        None, "Python interpreter of an environment with vLLM or llama-cpp-python. Default: this one.", SERVERS, "FILE"
    )
    mmproj: Path | None = option(
        None, "Image encoder for llama.cpp. Default: the one beside --model.", SERVERS, "FILE.gguf"
    )

    drafter: DrafterName = option(
        "auto", "Source of the draft that is verified. Default (auto): chosen page by page.", DRAFTS
    )
    drafts: Path | None = setting(None, "Saved results, for --drafter saved.", DRAFTS, "FILE|DIR")
    language: str = option(
        AUTO,
        "Language of the print, as de+arabic. Codes (de, deu) or English names, for recognition. Default (auto): "
        "the script of each page is found.",
        DRAFTS,
        "LANG[+LANG]",
    )
    ppstructure_models: Path | None = setting(None, "Local PP-StructureV3 models, one folder each.", DRAFTS, "DIR")

    read: Read = option(
        "auto",
        "Decode a page as a whole (page), or each region of its layout (regions). Default (auto): what the "
        "model was made for.",
        SPECULATION,
    )
    words: WordsFrom = option(
        "auto",
        "Source of the words: always the model (model), or the file where its text is sound and the model "
        "for the rest (evidence). Default (auto): evidence for the bundled reader, model for all others.",
        SPECULATION,
    )
    stages: Stages = setting(
        "auto",
        "Verify drafts of regions, then of the page (both), only of the page (page), or decode without "
        "drafts (none). Default (auto): what costs least by estimate.",
        SPECULATION,
    )
    align: str = option(
        "cursor",
        "What proposes tokens: cursor, the paper's window, or several proposers joined with +.",
        SPECULATION,
        "NAME[+NAME]",
        flags=("--proposer",),
    )
    window: int = setting(
        3, "For --proposer window: tokens that must match to continue in the draft.", SPECULATION, least=1, most=1000
    )
    tau: float | None = setting(
        None,
        "Threshold of relaxed acceptance (0 to 1, paper: 0.75). Default: exact acceptance, the model's own output.",
        SPECULATION,
        least=0,
        most=1,
    )
    trust_agreement: bool = setting(
        False,
        "LOSSY. When reading by regions, accept without verification what text layer and recognition have "
        "in common, character by character, except digits, formulas and tables; needs --drafter "
        "text-layer+rapidocr.",
        SPECULATION,
    )
    skip_verification: str | None = setting(
        None,
        "LOSSY. Accept a drafted path without verification in every K-th step (uniform:K), or where the "
        "paths of the tree are similar (similarity:T, 0 to 1). Meant for heads (--proposer head:DIR).",
        SPECULATION,
        "uniform:K|similarity:T",
    )
    exact: Exact = option(
        "fast",
        "strict: repeat near ties with a step of one token, since rounding in a wider step can decide them otherwise.",
        SPECULATION,
    )
    overlap: Overlap = setting(
        "auto",
        "Start decoding a page, where it is read as a whole, while its text is still being recognised "
        "(auto), or after that (off).",
        SPECULATION,
    )
    max_tree: int = setting(64, "Tokens verified in one step.", SPECULATION, least=1, most=4096)
    on_loop: OnLoop = option(
        "stop",
        "Where the text of a page only repeats itself: end the page (stop), end it and read the missing "
        "part from crops (reread), or keep all that the model writes (keep).",
        SPECULATION,
    )
    max_tokens: int | None = option(None, "Most tokens of a page. Default: the model's limit.", SPECULATION, least=1)
    baseline: bool = option(False, "Also decode without drafts, and report the speed-up.", SPECULATION)
    plain_markdown: bool = setting(
        False,
        "When reading by regions, write words, headings (#, ##), lists and pipe tables only; no links, "
        "pictures, bold, italics, footnotes, further levels of headings or cells that span.",
        OUTPUT,
    )
    provenance: bool = setting(
        False,
        "Record for each word whether it is from a draft, corrected by the model or written by it alone (in"
        " JSON; --view implies it).",
        SPECULATION,
    )

    places: PlacesFrom = option(
        "none",
        "Record for each word and each cell of a table its box, how that is known, and how certain the word is (in "
        "JSON): from what the drafts tell of the page (drafts; --view and --format hocr, alto, page and pdf imply it), "
        "or also from a recogniser, run afterwards on pages most of whose words the drafts do not have (recognise).",
        OUTPUT,
    )

    def __post_init__(self) -> None:
        check(self)
        _check_together(self)

    @property
    def traces(self) -> bool:
        """Whether the engine records how each token came to be, and how sure the model was of it."""
        return self.provenance or self.places != "none"

    @property
    def reads_with(self) -> str:
        """The engine: ``local``, ``server``, ``vllm``, ``llama`` or a plug-in's name."""
        if self.engine == "auto":
            return "server" if self.server else "llama" if self.model.lower().endswith(".gguf") else "local"
        return self.engine

    @property
    def has_other_engine(self) -> bool:
        """Whether an engine other than this package's decodes."""
        return self.reads_with != "local"

    @property
    def in_flight(self) -> int:
        """The number of pages that are read side by side."""
        if self.pages_in_flight is None:
            return SERVED_IN_FLIGHT if self.has_other_engine else 1
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
            f"skip-verification {self.skip_verification}: uniform:K with K of 2 or more, or similarity:T in (0, 1]"
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
        on_every_page = self.baseline or self.provenance or self.trust_agreement
        return self.evidence and self.model in BUNDLED_MODELS and not on_every_page and not self.has_other_engine

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


OPTIONS = options_of(ParseOptions)
"""What the fields declare."""


def flag_of(name: str) -> str:
    """The option of the field or parameter ``name`` as it is spelled on the command line."""
    return spelled(name, OPTIONS.get(name))


def _check_together(options: ParseOptions) -> None:
    """Raises ``UsageError`` for options that do not go together, and for languages that nobody knows."""
    languages_of(options.language)
    if not options.model:
        raise UsageError("--model is empty; name a model, or leave it out")
    if options.tau == 0:
        raise UsageError("tau 0: must be above 0 and at most 1; leave it out for exact acceptance")
    if options.drafter == "saved" and options.drafts is None:
        raise UsageError("--drafter saved needs --set drafts=PATH")
    if options.straighten and options.drafter not in ("auto", "rapidocr", "tesseract"):
        raise UsageError(
            f"straighten and --drafter {options.drafter}: choose auto, rapidocr or tesseract, which see it"
        )
    if options.words == "evidence" and options.read == "page":
        raise UsageError("--words evidence and --read page: choose one of them (a page read whole is the model's)")
    if options.in_flight > 1 and options.baseline and not options.has_other_engine:
        raise UsageError(f"--pages-in-flight {options.in_flight} and --baseline: choose one of them")

    if (
        options.exact == "strict"
        and (options.tau is not None or options.in_flight > 1)
        and not options.has_other_engine
    ):
        other = "tau" if options.tau is not None else "--pages-in-flight"
        raise UsageError(f"--exact strict and {other}: choose one of them")
    if options.skips is not None and (options.exact == "strict" or options.align == "window"):
        other = "--exact strict" if options.exact == "strict" else "--proposer window"
        raise UsageError(f"{other} and skip-verification: choose one of them")
    if options.trust_agreement and options.drafter != "text-layer+rapidocr":
        raise UsageError("trust-agreement compares two readings: add --drafter text-layer+rapidocr")
    if options.trust_agreement and options.exact == "strict":
        raise UsageError("--exact strict and trust-agreement: choose one of them")
    _check_engine(options)


def _check_engine(options: ParseOptions) -> None:
    """Raises ``UsageError`` if another engine is asked for what only the one in this process can do."""
    if options.engine == "server" and not options.server:
        raise UsageError("--engine server needs --server URL")
    if options.server and options.engine not in ("auto", "server"):
        raise UsageError(f"--server and --engine {options.engine}: choose one of them")
    if not options.has_other_engine:
        return
    local_only = {
        "--baseline": options.baseline,
        "provenance": options.provenance,
        "trust-agreement": options.trust_agreement,
        "tau": options.tau is not None,
        "skip-verification": options.skip_verification is not None,
        "--exact strict": options.exact == "strict" and options.reads_with != "llama",
        "engine-args": options.engine_args is not None and options.reads_with == "llama",
        "quantize": options.quantize != "none",
    }
    for name, given in local_only.items():
        if given:
            how = "--server" if options.server else f"--engine {options.reads_with}"
            raise UsageError(f"{name} and {how}: choose one of them (the engine in this process has it)")
