"""The abilities of this installation: packages, devices, models and drafters, each with a remedy if it
fails.

Facts only; ``docspec doctor`` prints them. Nothing is downloaded and no model is loaded.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Literal, get_args

from docspec.core import DocspecError
from docspec.core.container import memory_limit, processors, quota, visible
from docspec.core.extras import EXTRAS, LOCAL, missing
from docspec.core.plugins import PluginKind, load, plugins
from docspec.core.safe_text import first_line
from docspec.targets.estimate import gib
from docspec.versions import APART, DISTRIBUTION, NAMESAKE, version_of

Area = Literal["package", "extra", "device", "model", "drafter", "plug-in"]
State = Literal["ok", "optional", "broken"]

REQUIRED = ("pymupdf", "pillow", "numpy", "typer", "rich", "rapidfuzz")
_IMPORT_NAMES = {"pillow": "PIL"}
_DISTRIBUTIONS = {"llama_cpp": "llama-cpp-python"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report. A ``broken`` part needs the ``remedy``; the main job works without an
    ``optional`` one.
    """

    area: Area
    name: str
    state: State
    detail: str
    remedy: str = ""


def examine(model: str = "auto", ppstructure_models: Path | None = None) -> list[Finding]:
    """All findings. ``model`` is the one to be used (``auto``: the bundled reader)."""
    return [*packages(), *extras(), *devices(), *models(model), *drafters(ppstructure_models), *added()]


def able(findings: Sequence[Finding]) -> bool:
    """Whether the main job, reading a page with the model that would be used, can be expected to work."""
    return all(finding.state != "broken" for finding in findings)


def packages() -> Iterator[Finding]:
    """The packages without which nothing works, imported for real."""
    for package in REQUIRED:
        version = version_of(package)
        problem = _import_problem(_IMPORT_NAMES.get(package, package))
        if version is None or problem is not None:
            detail = "not installed" if version is None else f"{version}, but: {problem}"
            yield Finding("package", package, "broken", detail, f"pip install --force-reinstall {package}")
        else:
            yield Finding("package", package, "ok", version)
    yield from namesake()


def extras() -> Iterator[Finding]:
    """The optional packages, imported for real if installed. An installed package of ``local`` that cannot be imported
    is broken: its users fail."""
    for extra, modules in EXTRAS.items():
        remedy = LOCAL if extra == "local" else f"pip install '{DISTRIBUTION}[{extra}]'"
        if absent := missing(extra):
            yield Finding("extra", extra, "optional", f"{' and '.join(absent)} not installed", remedy)
            continue
        broken = [module for module in modules if extra == "local" and _import_problem(module) is not None]
        if broken:
            again = f"pip install --force-reinstall {' '.join(broken)}"
            detail = f"{broken[0]} {version_of(broken[0])}, but: {_import_problem(broken[0])}"
            yield Finding("extra", extra, "broken", detail, again)
        else:
            yield Finding("extra", extra, "ok", ", ".join(f"{each} {_version(each)}" for each in modules))


def _version(module: str) -> str | None:
    return version_of(_DISTRIBUTIONS.get(module, module))


def namesake() -> Iterator[Finding]:
    """Another project on the package index is called docspec and is imported by the same name."""
    version = version_of("docspec")
    if version is not None:
        yield Finding("package", "docspec", "broken", f"{version}: {NAMESAKE}", APART)


def devices() -> Iterator[Finding]:
    """The devices that can run a model. An accelerator is never required."""
    yield Finding("device", "cpu", "ok", _processors())
    try:
        import torch
    except Exception:  # extras() has reported it
        return
    if torch.cuda.is_available():
        for index in range(torch.cuda.device_count()):
            facts = torch.cuda.get_device_properties(index)
            memory = f"{facts.total_memory / 2**30:.0f} GiB"
            yield Finding("device", f"cuda:{index}", "ok", f"{facts.name}, {memory}")
    else:
        built = torch.version.cuda
        why = "this torch is built without CUDA" if built is None else f"no usable GPU (torch built for CUDA {built})"
        yield Finding("device", "cuda", "optional", why)
    if torch.backends.mps.is_available():
        yield Finding("device", "mps", "ok", "Apple GPU")


def _processors() -> str:
    """The processors and the memory that may be used, and what bounds them."""
    seen, most, allowed = visible(), quota(), memory_limit()
    cores = f"{processors()} cores"
    if most is not None and most < seen:
        cores += f" (of {seen}, by the container's quota of {most:g})"
    elif (os.cpu_count() or 1) > seen:
        cores += f" (of {os.cpu_count()}, by the process's affinity)"
    return cores if allowed is None else f"{cores}, {gib(allowed)} of memory by the container's limit"


def models(model: str) -> Iterator[Finding]:
    """The bundled reader, the model that would be used, and the models in the hub's cache."""
    yield _model("bundled reader", "mini", needed=model in ("auto", "mini"))
    if model not in ("auto", "mini"):
        yield _model(model, model, needed=True)
    for name in cached_models():
        if name != model:
            yield Finding("model", name, "ok", "in the hub cache")


def _model(label: str, name: str, *, needed: bool) -> Finding:
    state: State = "broken" if needed else "optional"
    if missing("local"):
        # Words of files, recognised lines and servers need no model here.
        absent: State = "broken" if needed and name != "mini" else "optional"
        return Finding("model", label, absent, "nothing here runs a model: the extra local is not installed", LOCAL)
    try:
        from docspec.targets import registry
        from docspec.targets.families import families, family_of
        from docspec.targets.validation import read_object

        path = registry.locate(name, offline=True)
        kind = registry.model_type_of(name, path)
        family = family_of(read_object(Path(path) / "config.json"))
    except DocspecError as error:
        what, _, remedy = str(error).partition("; ")
        return Finding("model", label, state, what, remedy)
    except Exception as error:
        return Finding("model", label, state, f"cannot be examined: {first_line(error)}")
    if family is None:
        known = ", ".join(sorted(families()))
        remedy = f"known are {known}; others can be tried with --set dialect=NAME and --set prompt=TEXT"
        return Finding("model", label, state, f"models of type '{kind}' are not known", remedy)
    return Finding("model", label, "ok", f"{kind}, {path}")


def cached_models(environ: Mapping[str, str] | None = None) -> list[str]:
    """Hub names of the models in the local hub cache that have weights."""
    environ = os.environ if environ is None else environ
    home = Path(environ.get("HF_HOME") or Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "huggingface")
    cache = Path(environ.get("HF_HUB_CACHE") or home / "hub")
    names = []
    for folder in sorted(cache.glob("models--*")):
        if next(folder.glob("snapshots/*/*.safetensors"), None) is not None:
            names.append("/".join(folder.name.split("--")[1:]))
    return names


def drafters(ppstructure_models: Path | None) -> Iterator[Finding]:
    """The drafters that can work. None of them is required: without a draft a page is only read more slowly."""
    yield _drafter("text-layer", "pymupdf", "pymupdf")
    yield _drafter("rapidocr", "rapidocr", "rapidocr", "onnxruntime")
    yield _tesseract()
    yield _ppstructure(ppstructure_models)


def _drafter(name: str, package: str, *imports: str) -> Finding:
    problem = next((problem for module in imports if (problem := _import_problem(module))), None)
    if problem is None:
        return Finding("drafter", name, "ok", f"{package} {version_of(package)}")
    return Finding("drafter", name, "optional", problem, f"pip install {package}")


def _tesseract() -> Finding:
    from docspec.drafting.tesseract import installed

    languages = sorted(installed())
    if languages:
        return Finding("drafter", "tesseract", "ok", f"models for {', '.join(languages)}")
    return Finding("drafter", "tesseract", "optional", "not installed", "apt install tesseract-ocr tesseract-ocr-LANG")


def _ppstructure(folder: Path | None) -> Finding:
    name = "ppstructure"
    if version_of("paddleocr") is None:
        return Finding(
            "drafter", name, "optional", "paddleocr is not installed", f"pip install '{DISTRIBUTION}[ppstructure]'"
        )
    try:
        from docspec.drafting.ppstructure.models import ENGINE, find_models, ways_out

        if folder is None:
            detail = f"paddleocr {version_of('paddleocr')}, models are fetched at first use"
            return Finding("drafter", name, "optional", detail, ways_out())
        model_set = find_models(folder)
    except DocspecError as error:
        what, _, remedy = str(error).partition("; ")
        return Finding("drafter", name, "optional", what, remedy)
    notes = "".join(f"; {note}" for note in model_set.notes)
    return Finding("drafter", name, "ok", f"{len(model_set.models)} models for {ENGINE} in {folder}{notes}")


def added() -> Iterator[Finding]:
    """The plug-ins of other packages (entry points, docs/extending.md), imported for real."""
    for kind in get_args(PluginKind):
        for name, entry in plugins(kind).items():
            try:
                load(kind, name)
                yield Finding("plug-in", name, "ok", f"{kind}: {entry.value}")
            except DocspecError as error:
                yield Finding("plug-in", name, "optional", f"{kind}: {error}", "ask its maker")


def _import_problem(module: str) -> str | None:
    try:
        import_module(module)
    except Exception as error:
        return f"cannot be imported: {first_line(error)}"
    return None
