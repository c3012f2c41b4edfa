"""The table of documented commands: for each the words that make it small, or why it cannot run here.

A command is run as its page shows it, in a folder where the files that pages name lie (``site.py``), with stand-ins for
models, devices and servers that are not here.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from itertools import takewhile

from benchmarks.documented import Documented

FORMS: tuple[tuple[str, str], ...] = (
    # docspec
    (r"docspec (bench|models|parse)$|docspec bench (fidelity|speed)( --ways)?$", "- a mention"),
    (r"docspec parse s3:", "- needs a store: tests/cli/test_folders.py has a stand-in"),
    (r"docspec parse .*scheduler=ray", "- needs Ray: tests/corpus/test_ray.py"),
    (r"docspec parse .*(shouting|sidecar|parrot|acme)", "- needs the reader's own package: tests/test_plugins.py"),
    (r"docspec .*(--engine llama|GGUF|gguf)", "- needs llama.cpp: tests/generation/llama"),
    (r"docspec models (download|check|show)", "- needs a hub: tests/models/test_hub.py"),
    (r"docspec serve", "- runs until it is stopped: tests/serve/test_command.py"),
    (r"docspec mcp.* --http", "- runs until it is stopped: tests/serve/test_mcp.py"),
    (r"docspec bench cost", ""),
    (r"docspec bench fidelity", "--max-tokens 8"),
    (r"docspec bench speed .*model:mini", "--repeats 1 --max-tokens 8 --model mini"),
    (r"docspec bench speed .*--proposer \.\.\.", "- a part of the command"),
    (r"docspec bench speed", "--repeats 1 --max-tokens 8"),
    (r"docspec parse .*--pages", "--pages 1"),
    (r"docspec inspect --needs-ocr", "scan.pdf"),
    (r"docspec parse .*model:mini", "--model mini --max-tokens 8"),
    (r"docspec parse -", ""),
    (r"docspec parse .*--(baseline|model|server)", "--max-tokens 8"),
    (r"docspec parse .*--language", "--language de+fr"),  # other scripts need tesseract's models
    (r"docspec", ""),
    # benchmarks
    (r"python -m benchmarks transcripts( --without NAME)?$", "- a mention"),
    (r"python -m benchmarks transcripts", "--max-tree 8"),
    (r"python -m benchmarks (device report|paper|places|structure)$", "- a mention, or all of docs"),
    (r"python -m benchmarks .*(--gguf|--engine llama)", "- needs llama.cpp: tests/generation/llama"),
    (r"python -m benchmarks .*--vllm-python", "- needs vLLM in this process: tests/vllm"),
    (r"python -m benchmarks half-precision", "--tokens 4 qwen3_vl"),
    (r"python -m benchmarks languages --second", "- needs a model's tokenizer"),
    (r"python -m benchmarks languages", "- needs fonts: tests/benchmarks/test_languages.py"),
    (r"python -m benchmarks suite parsebench", "- needs ParseBench: tests/benchmarks/suites/test_parsebench.py"),
    (
        r"python -m benchmarks .*suite pdf-parse-bench",
        "- needs the data set: tests/benchmarks/suites/test_pdf_parse_bench.py",
    ),
    (r"python -m benchmarks .*suite e-invoices", "- needs the data set: tests/benchmarks/suites/test_e_invoices.py"),
    (r"python -m benchmarks suite .*pdfplumber", "- needs the other tools"),
    (r"python -m benchmarks suite icdar2013", "- needs the data set: tests/benchmarks/suites/test_icdar2013.py"),
    (r"python -m benchmarks (suite|paper --suite)", "--limit 1 --max-tokens 8"),
    (r"python -m benchmarks paper", "- reads all samples: tests/benchmarks/paper"),
    (r"python -m benchmarks device prepare$", "--no-wheels"),
    (r"python -m benchmarks(\.| )device", "- takes minutes: tests/benchmarks/device/test_whole_run.py"),
    (r"python -m benchmarks figures", "- runs those of ROWS: tests/benchmarks/test_figures.py"),
    (r"python -m benchmarks pictures", "- needs measurements: tests/benchmarks/test_pictures.py"),
    (r"python -m benchmarks view-picture", "- needs Chromium: tests/benchmarks/test_view_picture.py"),
    (r"python -m benchmarks runs .*--way \.\.\.", "- a part of the command"),
    (r"python -m benchmarks engines .*--engine vllm", "--in-flight 1 --most 1 --repeats 1 --max-tokens 4"),
    (r"python -m benchmarks engines", "--in-flight 1 --most 1 --repeats 1 --max-tokens 4"),
    (r"python -m benchmarks accuracy .*head:mini", "--max-tokens 8 --model mini"),
    (r"python -m benchmarks (accuracy|ledger|layer|memory|searchable)", "--max-tokens 8"),
    (r"python -m benchmarks certainty", "--fit 1 --held-out 1"),
    (r"python -m benchmarks formulas .*--(fit|typesetter)", "- needs LaTeX: tests/benchmarks/test_formulas.py"),
    (r"python -m benchmarks browser", "- needs pdfjs-dist, which npm installs"),
    (r"python -m benchmarks\.serving\.(llama|random_gguf)", "- needs llama.cpp: tests/generation/llama"),
    (r"python -m benchmarks\.serving\.fairness", "- takes minutes"),
    (r"python -m benchmarks (drafts|overlap)", "--max-tokens 8 --repeats 1"),
    (r"python -m benchmarks step --random", "- makes gigabytes of random weights: tests/benchmarks/test_step.py"),
    (r"python -m benchmarks step", ""),
    (r"python -m benchmarks (born-digital|runs)", "--repeats 1"),
    (r"python -m benchmarks reading-order --(tagged|forms)", "- needs files: tests/benchmarks/test_reading_order.py"),
    (r"python -m benchmarks reading-order", "--each 1 --kind slide"),
    (r"python -m benchmarks (made-tables|structure)", "--each 1 --kind statistics"),
    (r"python -m benchmarks marks", "--max-tokens 8"),
    (r"python -m benchmarks proposer", "--rows 1 --steps 2"),
    (r"python -m benchmarks\.campaign\.pages DIR", "- writes into the folder that it names"),
    (r"python -m benchmarks\.campaign\.pages$", "- a mention"),
    (r"python -m benchmarks\.campaign", "- takes minutes: tests/benchmarks/test_campaign.py"),
    (r"python -m benchmarks\.mutants", "- needs cosmic-ray and a clone"),
    (r"python -m benchmarks\.serving\.\w+ .*--(beside|vllm-python)", "- needs vLLM or a second tree"),
    (r"python -m benchmarks\.serving\.hostile", "--requests 40 --clients 2 --rounds 1"),
    (r"python -m benchmarks\.serving\.long_answers", "--characters 1000"),
    (r"python -m benchmarks\.serving\.load", "--requests 40 --clients 2"),
    (r"python -m benchmarks\.serving\.uploads", "--uploads 1 --mib 1"),
    (r"python -m benchmarks", ""),
    # beside them
    (r"python -m samples.scripts .*--browser", "- needs Chromium: tests/samples"),
    (r"python -m samples.make", "--out made"),
    (r"python -m samples", ""),
    (r"python -m tests.vllm", "- needs vLLM"),
    (r"python -m training eval", "- takes minutes: tests/training"),
    (r"python -m training pages", ""),
    (r"python -m training init", ""),
    (r"python -m docspec_methods.teaching", "- teaches for minutes: tests/proposing/methods/test_teaching.py"),
    (r"python -m training", "- teaches for hours: tests/training"),
)
"""A pattern of commands, and words that are added to them, in place of the same options. ``- WHY``:
they do not run here. The first pattern that matches counts."""

STAND_INS = {
    **dict.fromkeys(("http://gpu:8000", "http://gpu1:8000", "http://gpu2:8000"), "{server}"),
    **dict.fromkeys(("NAME", "rednote-hilab/dots.ocr"), "tiny-model"),
    **dict.fromkeys(("cuda", "all"), "cpu"),
    **dict.fromkeys(("FILES", "FILE", "INPUT", "PAGES", "PAGE.pdf", "YOUR.pdf", "SCANS", "SCAN.pdf"), "input.pdf"),
    **dict.fromkeys(("samples/journal-article.pdf", "samples/newspaper.pdf", "samples"), "input.pdf"),
    **dict.fromkeys((".venv-vllm/bin/python", "PYTHON"), sys.executable),
    **dict.fromkeys(("report.pdf", "paper.pdf", "contract.pdf", "page.pdf"), "input.pdf"),
    **dict.fromkeys(("TRANSCRIPTS", "~/papers", "scans/", "sample/", "archive/", "invoices/"), "in/"),
    "scans/**/*.pdf": "in/**/*.pdf",
    **dict.fromkeys(
        ("out.md", "page.md", "paper.md", "report.md", "scan.md", "out/paper.md", "out/article.md"), "written.md"
    ),
    **dict.fromkeys(("paper.json", "out/paper.json", "timing.json", "texts-report.json"), "report.json"),
    "texts-model/": "texts/",
    "OUT": "out",
    "tokenizer.json": "docspec/reader/mini/tokenizer.json",
    "$SLURM_ARRAY_TASK_ID/8": "1/8",
}
"""What stands for the words of a page that name something that is not here."""


@dataclass(frozen=True)
class Form:
    """The smallest form of a command: its ``words``, or ``why`` there is none."""

    words: tuple[str, ...]
    why: str = ""


def entry(one: Documented) -> tuple[str, str] | None:
    """The entry of :data:`FORMS` for a documented command."""
    return next((form for form in FORMS if re.match(form[0], one.text.replace("'", ""))), None)


def smallest(one: Documented) -> Form:
    """The smallest form of a command that has an entry."""
    found = entry(one)
    assert found is not None
    if found[1].startswith("- "):
        return Form((), found[1][2:])
    words: list[str] = []
    for word in one.words:
        before = words[-1] if words else ""
        if before in ("--tokenizer",):
            word = "docspec/reader/mini/tokenizer.json"
        elif before == "--engine-python":
            word = sys.executable
        elif word in ("DIR", "FOLDER"):
            word = "tiny-model" if before == "--model" else f"sets/{words[-1] if 'suite' in words else 'made'}"
        elif re.match(r"samples/.*[*{]", word):
            word = "scan.pdf" if "-scan" in word else "input.pdf"
        words.append(STAND_INS.get(word, word))
    for added in filter(lambda word: word.startswith("--"), found[1].split()):
        while added in words:
            del words[words.index(added) : words.index(added) + 2]
    return Form((*words, *found[1].split()))


def kind_of(words: tuple[str, ...]) -> tuple[str, ...]:
    """The command and the names of its options: commands that differ in values alone run once."""
    ends = re.compile(r"-(?!m$)\w*$|--|(?!benchmarks\.)\S*[./{]")
    named = takewhile(lambda word: not ends.match(word), words)
    return (*named, *sorted(word for word in words if re.match("--?[a-z]", word)))
