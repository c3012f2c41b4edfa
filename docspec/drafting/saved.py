"""Drafts from disk: PP-StructureV3 results as ``save_to_json`` writes them, and docspec's own JSON documents.

A page can thus be drafted elsewhere (another machine, another day), and an earlier output can serve as the
draft of the next run. Pages are found by the source's name and the page number."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from time import perf_counter
from typing import Any

from docspec.core import Category, DrafterError, Event, PageDraft, PageImage, Region
from docspec.drafting.ppstructure.results import clean_text, regions_from_result
from docspec.drafting.safe import MAX_REGIONS, finite_box

SCHEMA = "docspec.document/"

_ASPECT_TOLERANCE = 0.02
MAX_BYTES = 256 * 2**20  # of a file; the JSON of a thousand dense pages has 50 MB


class SavedDrafter:
    """Reads drafts from ``path``: one JSON file, or a folder of them.

    A file holds one result, a list of results, or a docspec document. In a folder, page 3 of ``a.pdf`` is
    looked for as ``a_2_res.json`` (paddlex counts from 0), or within ``a_res.json``, ``a.pdf.json`` or
    ``a.json``; in the folder itself, in its sub-folder ``a``, and in the source's own place below it. Boxes
    are scaled to the page image.
    """

    name = "saved"

    def __init__(self, path: Path) -> None:
        self._path = path
        self._last: tuple[Path, dict[int, Mapping[str, Any]]] | None = None

    def check(self) -> None:
        if not self._path.exists():
            raise DrafterError(f"no saved drafts at {self._path}; name a JSON file or a folder with --set drafts=PATH")
        if self._path.is_dir() and next(self._path.rglob("*.json"), None) is None:
            raise DrafterError(f"no JSON files in {self._path}; save results there with save_to_json")

    def draft(self, page: PageImage) -> PageDraft:
        """See :class:`docspec.drafting.drafter.Drafter`; the error names the files that were tried."""
        started = perf_counter()
        self.check()
        file, entry = self._entry(page)
        try:
            if "parsing_res_list" in entry:
                draft = PageDraft(regions_from_result(entry, page.width, page.height))
            else:
                draft = _from_document(entry, page)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise DrafterError(
                f"{page.source}, page {page.number}: {file} is not in a known form ({error!r})"
            ) from error
        odd = _size_note(entry, page)
        events = (Event("draft_doubtful", f"{file.name} was {odd}; it may be of another page"),) if odd else ()
        reason = f"read from {file.name}" + (f" ({odd})" if odd else "")
        seconds = perf_counter() - started
        return PageDraft(draft.regions, self.name, reason, seconds, draft.page_texts, "saved", events)

    def _entry(self, page: PageImage) -> tuple[Path, Mapping[str, Any]]:
        if self._path.is_file():
            entry = self._pages(self._path).get(page.number)
            if entry is None:
                raise DrafterError(f"{self._path} holds no draft of page {page.number} ({page.source})")
            return self._path, entry
        stem = PurePath(page.source).stem
        wanted = [f"{stem}_{page.number - 1}_res.json", f"{stem}_res.json"]
        wanted += [f"{PurePath(page.source).name}.json", f"{stem}.json"]
        for folder in _folders(self._path, page.source):
            for name in wanted:
                file = folder / name
                if file.is_file():
                    entry = self._pages(file).get(page.number)
                    if entry is not None:
                        return file, entry
        raise DrafterError(
            f"{page.source}, page {page.number}: no saved draft below {self._path}; looked for " + ", ".join(wanted)
        )

    def _pages(self, file: Path) -> dict[int, Mapping[str, Any]]:
        """The pages in ``file`` by number. The last file stays in memory, as pages come one by one."""
        if self._last is None or self._last[0] != file:
            try:
                if file.stat().st_size > MAX_BYTES:
                    raise DrafterError(f"{file} has more than {MAX_BYTES >> 20} MB; no page's draft is that long")
                pages = dict(_numbered(json.loads(file.read_text(encoding="utf-8"))))
            except (OSError, KeyError, TypeError, ValueError, RecursionError) as error:
                raise DrafterError(f"{file} cannot be read as saved drafts: {error!r}") from error
            self._last = (file, pages)
        return self._last[1]


def _folders(root: Path, source: str) -> Iterator[Path]:
    """The folders of a source's drafts below ``root``: its own place in the tree, the deepest first."""
    parents = [part for part in PurePath(source).parent.parts if part not in ("..", PurePath(source).anchor)]
    places = [root.joinpath(*parents[start:]) for start in range(len(parents))] + [root]
    for place in places:
        yield place
        yield place / PurePath(source).stem


def _numbered(data: Any) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """(page number, page) for all in a JSON file; results without a page number are counted in their order."""
    if isinstance(data, Mapping) and str(data.get("schema", "")).startswith(SCHEMA):
        for page in data.get("pages") or ():
            yield int(page["page"]), page
        return
    for position, result in enumerate(_results(data), start=1):
        index = result.get("page_index")
        yield (index + 1 if isinstance(index, int) else position), result


def _results(data: Any) -> Iterator[Mapping[str, Any]]:
    """Every PP-StructureV3 result in ``data``: bare, in a list, as ``res.json``, or as the library's server
    answers."""
    if isinstance(data, Mapping):
        if "parsing_res_list" in data:
            yield data
            return
        for key in ("res", "result", "layoutParsingResults", "prunedResult"):
            yield from _results(data.get(key))
    elif isinstance(data, Sequence) and not isinstance(data, str):
        for item in data:
            yield from _results(item)


def _from_document(entry: Mapping[str, Any], page: PageImage) -> PageDraft:
    """A page of docspec's JSON. Blocks without a box cannot be regions: their texts go with the whole
    page's."""
    if entry.get("status") == "failed":
        raise DrafterError(f"{page.source}, page {page.number}: the saved run failed on this page")
    sx, sy = page.width / float(entry["width"]), page.height / float(entry["height"])
    blocks = entry["blocks"]
    regions = []
    for block in blocks[: 2 * MAX_REGIONS]:
        box = finite_box(block.get("bbox") or ())
        if box is None:
            continue
        category = Category.from_name(block["category"])
        text = clean_text(block.get("text") or "", category) or (block.get("text") or "").strip()
        box = box.scaled(sx, sy).clamped(page.width, page.height)
        regions.append(Region(box, category, (text,) if text and category is not Category.PICTURE else ()))
    whole = "\n\n".join(text for block in blocks if (text := (block.get("text") or "").strip()))
    complete = len(regions) == len(blocks)
    return PageDraft(tuple(regions), page_texts=() if complete or not whole else (whole,))


def _size_note(entry: Mapping[str, Any], page: PageImage) -> str:
    """A warning where the saved page has another shape: cropped, rotated or simply another page."""
    width, height = float(entry.get("width") or 0), float(entry.get("height") or 0)
    if width <= 0 or height <= 0:
        return ""
    if abs(width / height - page.width / page.height) <= _ASPECT_TOLERANCE * width / height:
        return ""
    return f"made for a page of another shape, {width:g} x {height:g}"
