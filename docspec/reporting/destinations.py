"""Decides where each input's document goes: no two share a file, and a folder's tree is kept below the output's."""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Protocol

from docspec.core import OutputError, UsageError
from docspec.core.paths import inside
from docspec.reporting.figures import SUFFIX as FIGURES
from docspec.reporting.renderer import SUFFIXES, Format


class InputFile(Protocol):
    """Facts about an input. ``path`` is ``None`` for standard input; ``relative`` is below its folder."""

    @property
    def path(self) -> Path | None: ...

    @property
    def relative(self) -> PurePath: ...


@dataclass(frozen=True, slots=True)
class Destination:
    """Where one document goes. ``path`` is ``None`` for standard output; ``figures`` is ``None`` where none are
    kept. The others are ``None`` where they were not asked for; ``tables`` is a folder.
    """

    path: Path | None
    figures: Path | None
    view: Path | None = None
    layout_pdf: Path | None = None
    tables: Path | None = None


LINKING: tuple[Format, ...] = ("md", "json")
"""Formats that link pictures; HTML holds them, the others have none."""
_ONE_OBJECT: dict[Format, str] = {
    "html": "HTML page",
    "docling": "docling document",
    "hocr": "hOCR page",
    "alto": "ALTO document",
    "page": "PAGE document",
}
STDOUT = ("-", "/dev/stdout")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_LONGEST = 255 - len(FIGURES) - len("-99999")
"""Bytes of a name that is derived from an input's: file systems take 255."""
_KNOWN_INPUTS = {".pdf", ".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp", ".gif"}


def infer_format(output: str | None, chosen: Format | None) -> Format:
    """The format asked for, else the one that the output's suffix names, else Markdown."""
    if chosen is not None:
        return chosen
    name = PurePath(output).name.lower() if output else ""
    fitting = [format for format, suffix in SUFFIXES.items() if name.endswith(suffix)]
    return max(fitting, key=lambda format: len(SUFFIXES[format]), default="md")


def beside(path: Path, format: Format, other: Format) -> Path:
    """The path of the ``other`` format of the document at ``path``, which is in ``format``: its suffix replaces that of
    ``format``."""
    if other == format:
        return path
    return path.with_name(path.name.removesuffix(SUFFIXES[format]) + SUFFIXES[other])


def plan_more(
    inputs: Sequence[InputFile], flag: str, output: str | None, suffix: str, *, into_folder: bool = False
) -> list[Path] | None:
    """A file for each input beside its document: ``output`` for one input, a folder for several; ``None`` where nothing
    was asked for. ``suffix`` ``""`` is for folders. Raises :class:`UsageError`."""
    if output is None:
        return None
    if output in ("", *STDOUT):
        raise UsageError(f"{flag} needs a {'file' if suffix else 'folder'} of its own")
    check_name(output)
    several = into_folder or len(inputs) > 1
    if several and suffix and PurePath(output).suffix == suffix and not output.endswith(("/", os.sep)):
        raise UsageError(f"{flag} {output}: several inputs need a folder; for one of that name write {output}/")
    if not several and not (suffix and (output.endswith(("/", os.sep)) or Path(output).is_dir())):
        return [Path(output)]
    return [Path(output) / name for name in distinct_names(inputs, suffix)]


def plan(
    inputs: Sequence[InputFile],
    output: str | None,
    format: Format,
    figures: str | None = None,
    *,
    others: Sequence[Format] = (),
    into_folder: bool = False,
    kept: Mapping[str, str] | None = None,
    taken: Collection[str] = (),
) -> list[Destination]:
    """One destination per input, in order.

    ``output`` is a file, a folder (it exists, ends with a separator, or ``into_folder`` says that a folder or
    several inputs were given) or ``-``; ``None`` is standard output for one input and an error for more.
    ``figures`` is a folder, ``none``, or ``None`` for ``NAME.figures`` beside each Markdown or JSON document.
    ``others`` are formats that are written beside ``format``, ``kept`` the paths (below the folder) that earlier runs
    gave to inputs, by their absolute paths, ``taken`` those of other inputs. Raises :class:`UsageError` where the
    request cannot be met and :class:`OutputError` where a path cannot be used.
    """
    for name in (output, figures):
        if name is not None:
            check_name(name)
    several = into_folder or len(inputs) > 1
    links = any(one in LINKING for one in (format, *others))
    if output is None and several:
        raise UsageError("several inputs need an output: -o FOLDER, or -o - for standard output")
    if output is None or output in STDOUT:
        if format == "pdf":
            raise UsageError("--format pdf needs a file or a folder: -o FILE.pdf or -o FOLDER")
        if format in _ONE_OBJECT and len(inputs) > 1:
            raise UsageError(f"several inputs cannot share one {_ONE_OBJECT[format]}: use -o FOLDER")
        names = distinct_names(inputs, SUFFIXES[format])
        return _with_figures([None] * len(inputs), names, figures, links, several)
    target = Path(output)
    is_folder = (
        several or output.endswith(("/", os.sep)) or (target.is_dir() and not target.name.endswith(SUFFIXES[format]))
    )
    if not is_folder:
        if target.exists() and not target.is_file() and not target.is_dir():  # a device or pipe: nothing beside it
            if others:
                raise UsageError(f"{output}: is no file; several formats need a file or a folder")
            figures = figures or "none"
        return _with_figures([target], [PurePath(target.name)], figures, links, several)
    if target.exists() and not target.is_dir():
        raise UsageError(f"{output}: is a file; several inputs need a folder (-o FOLDER) or standard output (-o -)")
    if several and not output.endswith(("/", os.sep)) and not target.exists() and target.suffix in SUFFIXES.values():
        raise UsageError(f"{output}: several inputs need a folder; for a folder of that name write {output}/")
    names = distinct_names(inputs, SUFFIXES[format], kept or {}, taken)
    return _with_figures([target / name for name in names], names, figures, links, several)


def _with_figures(
    paths: Sequence[Path | None], names: Sequence[PurePath], figures: str | None, links: bool, several: bool
) -> list[Destination]:
    def folder(path: Path | None, name: PurePath) -> Path | None:
        if figures == "none":
            return None
        if figures is not None:
            return Path(figures) / name.with_suffix("") if several else Path(figures)
        return path.with_name(path.stem + FIGURES) if path is not None and links else None

    return [Destination(path, folder(path, name)) for path, name in zip(paths, names, strict=True)]


def distinct_names(
    inputs: Sequence[InputFile], suffix: str, kept: Mapping[str, str] | None = None, others: Collection[str] = ()
) -> list[PurePath]:
    """Relative output names, all different even where case does not count, and none of those of ``others``; an input
    that has a ``kept`` one keeps it.

    ``x.pdf`` becomes ``x.md``; beside ``x.png`` both keep their suffix (``x.pdf.md``, ``x.png.md``); equal
    names from different folders keep the folder's name; what is then still equal is numbered.
    """

    def spelled(index: int, kind: bool, folder: bool) -> PurePath:
        """The name with the suffix of the input's ``kind``, below the name of its ``folder``."""
        relative, path = inputs[index].relative, inputs[index].path
        replaced = relative.suffix.lower() in _KNOWN_INPUTS and not kind
        name = relative.with_suffix(suffix) if replaced else relative.with_name(relative.name + suffix)
        return PurePath(path.resolve().parent.name) / name if folder and path is not None else name

    def known(index: int) -> PurePath | None:
        path = inputs[index].path
        earlier = None if path is None or not kept else kept.get(str(path.absolute()))
        return PurePath(earlier) if earlier and earlier.endswith(suffix) and inside(Path(), earlier) else None

    settled = {index: name for index in range(len(inputs)) if (name := known(index)) is not None}
    names = [settled.get(index) or spelled(index, kind=False, folder=False) for index in range(len(inputs))]
    for kind, folder in ((True, False), (False, True), (True, True)):
        counts = Counter(_key(name) for name in names)
        names = [
            spelled(index, kind, folder) if counts[_key(name)] > 1 and index not in settled else name
            for index, name in enumerate(names)
        ]
    fitting = [PurePath(*map(_fit, name.parts[:-1]), _fit(name.stem) + name.suffix) for name in names]
    taken = {_key(PurePath(name)) for name in others}
    numbered: dict[int, PurePath] = {}
    for index in sorted(range(len(inputs)), key=lambda index: index not in settled):
        name, number = fitting[index], 1
        while _key(name) in taken:
            number += 1
            name = name.with_name(f"{fitting[index].stem}-{number}{name.suffix}")
        taken.add(_key(name))
        numbered[index] = name
    return [numbered[index] for index in range(len(inputs))]


def _fit(part: str) -> str:
    """``part`` of a path without control characters, and short enough to take a suffix and a number."""
    plain = _CONTROL.sub("_", part)
    if len(os.fsencode(plain)) <= _LONGEST:
        return plain
    mark = f"~{hashlib.blake2b(os.fsencode(part), digest_size=4).hexdigest()}"
    return os.fsencode(plain)[: _LONGEST - len(mark)].decode("utf-8", "ignore") + mark


def _key(name: PurePath) -> str:
    return unicodedata.normalize("NFC", name.as_posix()).casefold()


def check_name(name: str) -> None:
    """Raises :class:`OutputError` for a name that no file can have (too long)."""
    try:
        Path(name).exists()
    except OSError as error:
        raise OutputError(f"{name}: cannot be written: {error.strerror or error}") from error
