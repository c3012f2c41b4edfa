"""Help texts of the command line, by the field that each option fills; its default, choices and bounds are those of the
field (:mod:`docspec.core.options` and others)."""

from __future__ import annotations

from typing import NamedTuple

DOCUMENTS = "Documents"
DRAFTS = "Drafts"
LOOKING = "Looking at it"
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
    "dpi": Help("Pixels per inch that PDF pages are rendered at.", PAGES),
    "image_scale": Help(
        "Image files as large as the model's own tool shows them (dots.ocr: about twice), or as they are.", PAGES
    ),
    "keep_rotation": Help("Leave pages as they are whose text runs sideways.", PAGES),
    "ignore_exif": Help("Leave photographs as stored, whatever way up they were taken.", PAGES),
    "max_megapixels": Help("Larger pages and images are reduced to this many million pixels; 0: never.", PAGES),
    "page_timeout": Help(
        "Most seconds that drawing and drafting a page may take, and opening a document.", PAGES, "SECONDS"
    ),
    "document_timeout": Help(
        "Most seconds that a document may take; its pages that are not drawn by then fail. Default: no end.",
        PAGES,
        "SECONDS",
    ),
    "password": Help("Password of encrypted PDF files.", PAGES),
    "model": Help(
        "Hub name or local folder. auto: $DOCSPEC_MODEL, the config file, else the bundled reader.", MODEL, "NAME|DIR"
    ),
    "device": Help("Where the model runs.", MODEL, "auto|cpu|cuda[:N]|mps"),
    "dtype": Help("Number format of the weights.", MODEL),
    "quantize": Help("Linear weights in 8 or 4 bits, by bitsandbytes: less memory, another model's words.", MODEL),
    "attention": Help(
        "Attention implementation. split: over prefix and tree apart; auto takes it for wide trees on GPUs where that "
        "is measured faster.",
        MODEL,
    ),
    "offline": Help("Never open a connection; use what is on this machine.", MODEL),
    "dialect": Help("How the model writes pages. Default: what is known of it.", MODEL),
    "prompt": Help("What the model is asked for a page. Default: what is known of it.", MODEL, "TEXT"),
    "graphs": Help(
        "How steps are run: captured as CUDA graphs, compiled, or as they come (off); auto: what works.", MODEL
    ),
    "kv_memory": Help(
        "Most MiB that key-value buffers may take; a page that needs more fails. Default: no bound.", MODEL, "MIB"
    ),
    "pages_in_flight": Help(
        "Pages read side by side, for throughput. Default: 1, and 16 where a server reads.", MODEL, "N"
    ),
    "server": Help(
        "Read with an OpenAI-compatible server (vLLM, docspec serve); needs no weights here. May be repeated: "
        "servers share the work. What it serves is told by its name, --model or --family.",
        SERVERS,
        "URL",
    ),
    "server_key": Help("Its key. Default: $DOCSPEC_SERVER_KEY.", SERVERS, "KEY"),
    "served_model": Help("Which of its models, where it has several.", SERVERS, "NAME"),
    "family": Help("The family of a served model whose name does not tell it (qwen2_5_vl, dots_ocr, ...).", SERVERS),
    "engine": Help(
        "What decodes: this process (local), a --server, vLLM or llama.cpp, started for the run. auto: server where "
        "one is named, llama for a model.gguf, else local. ray is the former name of --scheduler ray.",
        SERVERS,
    ),
    "engine_args": Help(
        "Options of vLLM's own, in one text ('--enforce-eager --max-model-len 8192').", SERVERS, "TEXT"
    ),
    "engine_python": Help(
        "The Python of an environment that has vLLM, or llama-cpp-python. Default: this one.", SERVERS, "FILE"
    ),
    "mmproj": Help("llama.cpp: the picture tower. Default: the one beside --model.", SERVERS, "FILE.gguf"),
    "drafter": Help("What proposes text; auto decides page by page.", DRAFTS),
    "drafts": Help("Saved results, for --drafter saved.", DRAFTS, "FILE|DIR"),
    "ocr_model": Help("Another recognition model of RapidOCR, for scripts that its own cannot write.", DRAFTS, "FILE"),
    "ppstructure_models": Help("Local PP-StructureV3 models, one folder each.", DRAFTS, "DIR"),
    "ppstructure_engine": Help("What runs PP-StructureV3.", DRAFTS, "NAME"),
    "read": Help(
        "The page as a whole, or its regions one by one as the layout gives them; auto: what the model was made for.",
        SPECULATION,
    ),
    "words": Help(
        "Whose words are written: the model's, token for token (model), or those of the file where they are sound "
        "and the model's for the rest (evidence). auto: evidence for the bundled reader, model for all others.",
        SPECULATION,
    ),
    "stages": Help("Check regions and page, the page only, or decode plainly (none); auto: what pays.", SPECULATION),
    "align": Help(
        "What proposes tokens: cursor, the paper's window, or proposers joined with +.", SPECULATION, "NAME[+NAME]"
    ),
    "window": Help("Tokens that must match to line up.", SPECULATION),
    "tau": Help("Relaxed acceptance (0 to 1, paper: 0.75). Default: exact, the model's own output.", SPECULATION),
    "trust_agreement": Help(
        "LOSSY. Reading by regions, take from the draft what text layer and recognition read alike to the letter, "
        "but for digits, formulas and tables; needs --drafter text-layer+rapidocr.",
        SPECULATION,
    ),
    "skip_verification": Help(
        "LOSSY. Every K-th step (uniform:K), or where the tree's paths are alike (similarity:T, 0 to 1), take a "
        "drafted path unverified. Meant for heads (--proposer head:DIR).",
        SPECULATION,
        "uniform:K|similarity:T",
    ),
    "exact": Help(
        "Strict: choices that the shape of a step could tip are made again by a step of one token.", SPECULATION
    ),
    "overlap": Help(
        "Begin a page that is read whole while its text is still recognised beside it (auto), or after that (off).",
        SPECULATION,
    ),
    "max_tree": Help("Tokens checked in one step.", SPECULATION),
    "on_loop": Help(
        "Cut a page where its text only repeats itself, and no more (stop) or then read what it has not come to on "
        "crops (reread); or keep all that the model writes.",
        SPECULATION,
    ),
    "max_tokens": Help("Most tokens a page may have. Default: the model's limit.", SPECULATION),
    "baseline": Help("Also decode plainly and report the speed-up.", SPECULATION),
    "plain_markdown": Help(
        "Reading by regions: words, headings (#, ##), lists and pipe tables only; no links, pictures, bold, italics, "
        "footnotes, further levels of headings or cells that span.",
        OUTPUT,
    ),
    "provenance": Help(
        "Keep for every word whether a draft had it, the model corrected it or wrote it alone (in JSON; --view asks "
        "for it).",
        SPECULATION,
    ),
    "keep_furniture": Help("Keep page headers and footers.", OUTPUT),
    "page_separator": Help("A line between pages, or before each page if it holds {page}.", OUTPUT, "TEXT"),
    "raw": Help("Write each answer as the model wrote it: thoughts, fences and layout JSON as they are.", OUTPUT),
    "from_file": Help(
        "Read the documents that this file names, one a line; - for standard input.", DOCUMENTS, "FILE|-"
    ),
    "include": Help(
        "Only documents whose name or path below their folder fits; * also crosses folders. May be repeated.",
        DOCUMENTS,
        "PATTERN",
    ),
    "exclude": Help("Not those that fit. May be repeated.", DOCUMENTS, "PATTERN"),
    "allow_urls": Help("Download inputs that are named by an address (https://...), up to 256 MiB each.", DOCUMENTS),
    "shard": Help("The I-th of N parts of the documents, for schedulers that start N runs.", DOCUMENTS, "I/N"),
    "manifest": Help(
        "Keep docspec.manifest.jsonl in the output folder, so that the next run goes on; none: forget.", DOCUMENTS
    ),
    "retry_failed": Help("Read again what failed in earlier runs.", DOCUMENTS),
    "force": Help("Read everything again.", DOCUMENTS),
    "strict": Help("End with exit code 3 where pages are doubtful, too.", DOCUMENTS),
    "max_failures": Help("End the run when so many documents failed.", DOCUMENTS, "N"),
    "devices": Help(
        "Verify in several processes, each with the model: one a GPU (0,1 or all), or two sharing the CPU (cpu,cpu).",
        MACHINES,
        "0,1|all|cpu,cpu",
    ),
    "scheduler": Help(
        "Work in this process, or on the machines of a Ray cluster (pip install 'docspec-vlm[ray]').", MACHINES
    ),
    "ray_address": Help("The cluster. Default: Ray is started on this machine.", MACHINES, "auto|ADDRESS"),
    "ray_actors": Help("Actors that hold the model.", MACHINES, "N"),
    "ray_gpus": Help("GPUs of each of them.", MACHINES, "N"),
    "ray_drafters": Help("Actors that draw and draft pages.", MACHINES, "N"),
    "output": Help(
        "File, folder (ends with / or exists), or - for standard output (default of one input).",
        OUTPUT,
        "FILE|DIR|-",
        flags=("-o", "--output"),
    ),
    "format": Help("Default: by the suffix of the output, else md. May be repeated: one file each.", OUTPUT),
    "figures": Help(
        "Where pictures go. Default: NAME.figures beside the output; inside the page for html.", OUTPUT, "DIR|none"
    ),
    "tables": Help("Write every table as a CSV file too.", OUTPUT, "DIR"),
    "report": Help("Write a timing report: every page, stage and token count.", OUTPUT, "FILE.json"),
    "view": Help(
        "Write pages beside their text, in one HTML file: where words come from, what to check, speed.",
        LOOKING,
        "FILE.html|DIR",
    ),
    "layout_pdf": Help(
        "Write the input with numbered boxes, their kinds and the reading order drawn over it.", LOOKING, "FILE.pdf|DIR"
    ),
    "numbers_report": Help(
        "Write the numbers on which two readings of a page differ, a line each.", LOOKING, "FILE.csv"
    ),
}
