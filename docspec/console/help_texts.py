"""Help texts of the command line, by the field that each option fills; its default, choices and bounds are those of the
field (:mod:`docspec.core.options` and others)."""

from __future__ import annotations

from typing import NamedTuple

DOCUMENTS = "Documents"
DRAFTS = "Drafts"
INSPECTION = "Inspection"
MACHINES = "Machines"
MODEL = "Model"
OUTPUT = "Output"
PAGES = "Pages"
SERVERS = "Servers"
SPECULATION = "Speculation"
"""Panels of the help page."""


class Help(NamedTuple):
    """``group`` is the panel of the help page; ``flags`` are the names on the command line if they do not follow from
    the field's."""

    text: str
    group: str
    metavar: str | None = None
    flags: tuple[str, ...] = ()


HELP = {
    "pages": Help("Pages to read, counted from 1. Default: all.", PAGES, "1-3,7"),
    "dpi": Help("Resolution at which PDF pages are rendered, in pixels per inch.", PAGES),
    "image_scale": Help(
        "Scale of image files: that of the model's own tool (published; dots.ocr: about 2), or none (as-is).", PAGES
    ),
    "keep_rotation": Help("Do not turn pages whose text runs sideways.", PAGES),
    "ignore_exif": Help("Do not turn photographs by the orientation that their EXIF data names.", PAGES),
    "hidden": Help(
        "Text that nobody sees (not painted, covered, in the colour of its ground, on a layer that is off, ...): leave "
        "it out and say so (drop), or write it, marked as hidden (keep).",
        PAGES,
    ),
    "max_megapixels": Help("Reduce larger pages and images to this many million pixels; 0: never.", PAGES),
    "page_timeout": Help("Time limit for rendering and drafting a page, and for opening a document.", PAGES, "SECONDS"),
    "document_timeout": Help(
        "Time limit for a document; pages that are not rendered by then fail. Default: none.", PAGES, "SECONDS"
    ),
    "password": Help("Password of encrypted PDF files.", PAGES),
    "model": Help(
        "Name on the Hugging Face hub, or local folder. Default (auto): $DOCSPEC_MODEL, the config file, else the "
        "bundled reader.",
        MODEL,
        "NAME|DIR",
    ),
    "device": Help("Device that the model runs on.", MODEL, "auto|cpu|cuda[:N]|mps"),
    "dtype": Help("Number format of the weights.", MODEL),
    "quantize": Help(
        "Load linear weights in 8 or 4 bits, with bitsandbytes: less memory, but not the same output as without.", MODEL
    ),
    "attention": Help(
        "Attention implementation. split has steps attend by kernels that divide the keys of a prefix among a GPU's "
        "processors (CUDA, Triton); auto takes it where it was measured to be faster.",
        MODEL,
    ),
    "offline": Help("Open no network connection; use only what is on this machine.", MODEL),
    "dialect": Help("Output format of the model. Default: the one known for this model.", MODEL),
    "prompt": Help("Prompt for each page. Default: the one known for this model.", MODEL, "TEXT"),
    "graphs": Help("Run steps as CUDA graphs (cuda), compiled (compile) or eagerly (off); auto: what works.", MODEL),
    "kv_memory": Help(
        "Memory limit of the key-value buffers; a page that needs more fails. Default: none.", MODEL, "MIB"
    ),
    "pages_in_flight": Help(
        "Pages decoded side by side, for throughput. Default: 1, and 16 where another process decodes.", MODEL, "N"
    ),
    "server": Help(
        "OpenAI-compatible server that decodes (vLLM, docspec serve); no weights are needed here. May be repeated: the "
        "servers share the work. The model's family is known from its name there, from --model or from --family.",
        SERVERS,
        "URL",
    ),
    "server_key": Help("API key of the server. Default: $DOCSPEC_SERVER_KEY.", SERVERS, "KEY"),
    "served_model": Help("Model to use, where the server has several.", SERVERS, "NAME"),
    "family": Help("Family of a served model whose name does not show it (qwen2_5_vl, dots_ocr, ...).", SERVERS),
    "engine": Help(
        "What decodes: this process (local), a --server, or vLLM or llama.cpp, started for the run. Default (auto): "
        "server where one is named, llama for a model.gguf, else local. ray is the former name of --scheduler ray.",
        SERVERS,
    ),
    "engine_args": Help("Arguments for vLLM, as one text ('--enforce-eager --max-model-len 8192').", SERVERS, "TEXT"),
    "engine_python": Help(
        "Python interpreter of an environment with vLLM or llama-cpp-python. Default: this one.", SERVERS, "FILE"
    ),
    "mmproj": Help("Image encoder for llama.cpp. Default: the one beside --model.", SERVERS, "FILE.gguf"),
    "drafter": Help("Source of the draft that is verified. Default (auto): chosen page by page.", DRAFTS),
    "drafts": Help("Saved results, for --drafter saved.", DRAFTS, "FILE|DIR"),
    "language": Help(
        "Language of the print, as de+arabic. Codes (de, deu) or English names, for recognition. Default (auto): the "
        "script of each page is found.",
        DRAFTS,
        "LANG[+LANG]",
    ),
    "ocr_model": Help(
        "Recognition model for RapidOCR in place of its own, or a folder of such models, of which each page gets the "
        "one for its script.",
        DRAFTS,
        "FILE|DIR",
    ),
    "ppstructure_models": Help("Local PP-StructureV3 models, one folder each.", DRAFTS, "DIR"),
    "ppstructure_engine": Help("Inference engine of PP-StructureV3.", DRAFTS, "NAME"),
    "read": Help(
        "Decode a page as a whole (page), or each region of its layout (regions). Default (auto): what the model was "
        "made for.",
        SPECULATION,
    ),
    "words": Help(
        "Source of the words: always the model (model), or the file where its text is sound and the model for the rest "
        "(evidence). Default (auto): evidence for the bundled reader, model for all others.",
        SPECULATION,
    ),
    "stages": Help(
        "Verify drafts of regions, then of the page (both), only of the page (page), or decode without drafts (none). "
        "Default (auto): what costs least by estimate.",
        SPECULATION,
    ),
    "align": Help(
        "What proposes tokens: cursor, the paper's window, or several proposers joined with +.",
        SPECULATION,
        "NAME[+NAME]",
    ),
    "window": Help("For --proposer window: tokens that must match to continue in the draft.", SPECULATION),
    "tau": Help(
        "Threshold of relaxed acceptance (0 to 1, paper: 0.75). Default: exact acceptance, the model's own output.",
        SPECULATION,
    ),
    "trust_agreement": Help(
        "LOSSY. When reading by regions, accept without verification what text layer and recognition have in common, "
        "character by character, except digits, formulas and tables; needs --drafter text-layer+rapidocr.",
        SPECULATION,
    ),
    "skip_verification": Help(
        "LOSSY. Accept a drafted path without verification in every K-th step (uniform:K), or where the paths of the "
        "tree are similar (similarity:T, 0 to 1). Meant for heads (--proposer head:DIR).",
        SPECULATION,
        "uniform:K|similarity:T",
    ),
    "exact": Help(
        "strict: repeat near ties with a step of one token, since rounding in a wider step can decide them otherwise.",
        SPECULATION,
    ),
    "overlap": Help(
        "Start decoding a page, where it is read as a whole, while its text is still being recognised (auto), or "
        "after that (off).",
        SPECULATION,
    ),
    "max_tree": Help("Tokens verified in one step.", SPECULATION),
    "on_loop": Help(
        "Where the text of a page only repeats itself: end the page (stop), end it and read the missing part from "
        "crops (reread), or keep all that the model writes (keep).",
        SPECULATION,
    ),
    "max_tokens": Help("Most tokens of a page. Default: the model's limit.", SPECULATION),
    "baseline": Help("Also decode without drafts, and report the speed-up.", SPECULATION),
    "plain_markdown": Help(
        "When reading by regions, write words, headings (#, ##), lists and pipe tables only; no links, pictures, bold, "
        "italics, footnotes, further levels of headings or cells that span.",
        OUTPUT,
    ),
    "provenance": Help(
        "Record for each word whether it is from a draft, corrected by the model or written by it alone (in JSON; "
        "--view implies it).",
        SPECULATION,
    ),
    "keep_furniture": Help("Keep page headers and footers.", OUTPUT),
    "page_separator": Help("Line between pages, or before each page if it contains {page}.", OUTPUT, "TEXT"),
    "tables_across_pages": Help(
        "Write a table that goes on over a page as one, where it begins (join), or its parts where they stand (keep).",
        OUTPUT,
    ),
    "raw": Help("Write the model's answers unchanged, with thoughts, code fences and layout JSON.", OUTPUT),
    "from_file": Help("Read the documents listed in this file, one a line; - for standard input.", DOCUMENTS, "FILE|-"),
    "include": Help(
        "Read only documents whose name, or path below their folder, matches; * also crosses folders. May be repeated.",
        DOCUMENTS,
        "PATTERN",
    ),
    "exclude": Help("Leave out documents that match. May be repeated.", DOCUMENTS, "PATTERN"),
    "allow_urls": Help("Download inputs that are addresses (https://...), up to 256 MiB each.", DOCUMENTS),
    "shard": Help("Read the I-th of N parts of the documents, for schedulers that start N runs.", DOCUMENTS, "I/N"),
    "manifest": Help(
        "Keep docspec.manifest.jsonl in the output folder, by which the next run goes on (auto), or nothing (none).",
        DOCUMENTS,
    ),
    "retry_failed": Help("Read documents again that failed before (with --strict: or are doubtful).", DOCUMENTS),
    "force": Help("Read all documents again, finished ones too.", DOCUMENTS),
    "strict": Help("Exit with code 3 if pages are doubtful, too.", DOCUMENTS),
    "max_failures": Help("End the run when this many documents have failed.", DOCUMENTS, "N"),
    "devices": Help(
        "Verify in several processes, each with a copy of the model: one for each GPU (0,1 or all), or two that share "
        "the CPU (cpu,cpu).",
        MACHINES,
        "0,1|all|cpu,cpu",
    ),
    "scheduler": Help(
        "Run in this process (local), or on the machines of a Ray cluster (ray: pip install 'docspec-vlm[ray]').",
        MACHINES,
    ),
    "ray_address": Help(
        "Address of the Ray cluster. Default: Ray is started on this machine.", MACHINES, "auto|ADDRESS"
    ),
    "ray_actors": Help("Ray actors that hold the model.", MACHINES, "N"),
    "ray_gpus": Help("GPUs of each Ray actor that holds the model.", MACHINES, "N"),
    "ray_drafters": Help("Ray actors that render and draft pages.", MACHINES, "N"),
    "output": Help(
        "Output file, folder (ends with / or exists), or -: standard output, to which one input goes by default.",
        OUTPUT,
        "FILE|DIR|-",
        flags=("-o", "--output"),
    ),
    "format": Help(
        "Output format (md, json, html, ...). Default: by the suffix of the output, else md. May be repeated: one file "
        "for each.",
        OUTPUT,
    ),
    "figures": Help(
        "Folder for pictures, or none. Default: NAME.figures beside the output; inside the page for html.",
        OUTPUT,
        "DIR|none",
    ),
    "tables": Help("Write every table as a CSV file, too.", OUTPUT, "DIR"),
    "report": Help("Write a timing report with every page, stage and token count.", OUTPUT, "FILE.json"),
    "view": Help(
        "Write an HTML file with pages beside their text. It shows where words come from, what to check, and the speed "
        "of each page.",
        INSPECTION,
        "FILE.html|DIR",
    ),
    "layout_pdf": Help(
        "Write the input with numbered boxes, their categories and the reading order drawn over it.",
        INSPECTION,
        "FILE.pdf|DIR",
    ),
    "numbers_report": Help(
        "Write the numbers on which two readings of a page differ, one a line.", INSPECTION, "FILE.csv"
    ),
}
