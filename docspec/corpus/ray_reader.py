"""Documents read on many machines by Ray Data: drawn and drafted on processors, verified where the model is.

Everything that travels is a row: a document, each of its pages, its result. A fault is a row too, never an exception.
Rows come back in the order of the documents. The run that writes them is the same as on one machine: it writes manifest
and journals and sets the exit code. Ray is imported here and nowhere else.
"""

from __future__ import annotations

import logging
import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from docspec.accounting import Placer, accounted, visible_words
from docspec.core import DocspecError, Event, ModelError, PageResult, ParseOptions
from docspec.core.container import processors
from docspec.core.observer import Observer
from docspec.corpus.job import CorpusOptions, Job
from docspec.corpus.journal import page_result, page_values
from docspec.documents import PageFailure, PageSelection, Source, parse_page_ranges
from docspec.documents.inputs import Unreadable
from docspec.documents.remote import fetched
from docspec.documents.view import View
from docspec.drafting.drafted_page import DraftedPage
from docspec.isolation.pool import Isolation
from docspec.isolation.worker_handle import PrepareOptions
from docspec.opening import card_of_served
from docspec.targets.registry import card_of

RayRow = Mapping[str, Any]
RayBatch = Mapping[str, Any]


@dataclass(slots=True)
class RemoteDocument:
    """A document that another machine has open."""

    name: str
    sha256: str
    page_count: int
    damage: str | None = None

    def __enter__(self) -> RemoteDocument:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class Draw:
    """An actor that opens documents, draws and drafts their pages, in children as everywhere."""

    def __init__(self, options: ParseOptions) -> None:
        self._isolation = Isolation(options)
        self._selection = parse_page_ranges(options.pages)
        card = card_of_served if options.has_other_engine else card_of
        dpi = card(options).image_dpi if options.image_scale == "published" else None
        self._wanted = PrepareOptions.complete(View.of(options, visible_words), dpi)

    def __call__(self, batch: RayBatch) -> Iterator[dict[str, Any]]:
        for index, data in zip(batch["index"], batch["data"], strict=True):
            source, held = pickle.loads(data)
            try:
                yield from self._rows(int(index), source, held)
            except DocspecError as error:
                yield _row(index, "lost", error)
            except Exception as error:
                yield _row(index, "lost", DocspecError(f"{source.name}: unexpected {type(error).__name__}: {error}"))

    def _rows(self, index: int, source: Source, held: frozenset[int]) -> Iterator[dict[str, Any]]:
        document = self._isolation.open(fetched(source))
        numbers = self._selection.resolve(document.page_count, document.name)
        opened = RemoteDocument(document.name, document.sha256, document.page_count, document.damage)
        yield _row(index, "document", opened)
        document.begin()
        pages = ((document, number) for number in numbers if number not in held)
        for _, page in self._isolation.pages(pages, self._wanted, 1):
            yield _row(index, "page", (page, document.damage))


class Verify:
    """An actor that holds the model."""

    def __init__(self, options: ParseOptions, with_pictures: bool) -> None:
        from docspec.parser import Parser

        self._parser = Parser(options)
        self._with_pictures = with_pictures
        self._placer = Placer(options)

    def __call__(self, batch: RayBatch) -> dict[str, Any]:
        rows = [
            (index, kind, pickle.loads(data))
            for index, kind, data in zip(batch["index"], batch["kind"], batch["data"], strict=True)
        ]
        try:
            pages = [value[0] for _, kind, value in rows if kind == "page" and isinstance(value[0], DraftedPage)]
            read = self._parser.verify(pages) if pages else []
            results = iter([accounted(result, page, self._placer) for result, page in zip(read, pages, strict=True)])
            info = self._parser.target_info if pages else None
        except Exception as error:
            fault = error if isinstance(error, DocspecError) else ModelError(f"{type(error).__name__}: {error}")
            return _batch([_row(index, "fatal", fault) for index, _, _ in rows])
        verified = []
        for index, kind, value in rows:
            if kind != "page":
                verified.append(_row(index, kind, value))
                continue
            page, damage = value
            if isinstance(page, PageFailure):
                lost = PageResult(page.source, page.number, "failed", error=str(page.error), failure=page.error.failure)
                values = page_values(lost, with_pictures=False)
            else:
                values = page_values(next(results), with_pictures=self._with_pictures)
            verified.append(_row(index, "result", (values, damage, info)))
        return _batch(verified)


class RayReader:
    """The documents of ``jobs`` in order, read by the actors of a cluster, on this machine where no address is given.

    ``held`` are the pages that journals have already, by document. It stands in for a
    :class:`docspec.corpus.reading.DocumentReader` and its ``parser``.
    """

    step_report = engine_report = None
    reads_ahead = False
    """Actors load the model when their first page comes."""

    def __init__(
        self,
        options: ParseOptions,
        corpus: CorpusOptions,
        jobs: Sequence[Job],
        held: Mapping[str, frozenset[int]],
        observer: Observer,
        *,
        with_pictures: bool,
    ) -> None:
        self._jobs = [job for job in jobs if not isinstance(job.source, Unreadable)]
        self._held = held
        self._observer = observer
        self._selection = parse_page_ranges(options.pages)
        self._started = _connect(corpus)
        self._rows = _dataset(options, corpus, self._jobs, held, with_pictures)
        self._next: tuple[int, str, Any] | None = None
        self._at = -1
        self.parser = self

    loads_late = False
    is_loaded = True
    load_seconds = 0.0
    """Each of the cluster's processes loads the target as it begins."""

    @property
    def target_info(self) -> Any:
        """Facts about the target, from the next page that comes."""
        row = self._peek()
        if row is None or row[1] != "result":
            raise ModelError("the cluster ended before a page of the document was read")
        return row[2][2]

    def open(self, job: Job) -> RemoteDocument:
        self._at = self._jobs.index(job, self._at + 1)
        while (row := self._peek()) is not None and row[0] < self._at:
            self._next = None  # pages of a document that failed on this side
        if row is None or row[0] > self._at:
            raise DocspecError(f"{job.source.name}: the cluster has lost it; run again with --retry-failed")
        _, kind, value = self._take()
        if kind == "lost":
            raise value
        numbers = self._selection.resolve(value.page_count, value.name)
        self._observer.document_started(value.name, len(numbers) - len(self._held.get(job.document, ())))
        return value

    def left_pages(self) -> list[tuple[RemoteDocument, PageResult]]:
        """None: what the cluster has read ahead stays there."""
        return []

    def close(self) -> None:
        """Leaves the cluster; one that was started here ends."""
        self._rows = iter(())
        if self._started:
            import ray

            ray.shutdown()

    def pages(self, document: RemoteDocument, selection: PageSelection) -> Iterator[PageResult]:
        """The pages of the document that was opened last, those that its actor was asked for."""
        index = self._at
        while (row := self._peek()) is not None and row[0] == index:
            _, kind, value = self._take()
            if kind == "lost":
                raise value
            values, document.damage, _ = value
            result = page_result(values)
            if document.damage is not None:
                result = replace(result, events=(Event("damaged_input", document.damage), *result.events))
            self._observer.page_done(result)
            yield result

    def _peek(self) -> tuple[int, str, Any] | None:
        if self._next is None:
            row = next(self._rows, None)
            if row is not None:
                self._next = int(row["index"]), str(row["kind"]), pickle.loads(row["data"])
                if self._next[1] == "fatal":
                    raise self._next[2]
        return self._next

    def _take(self) -> tuple[int, str, Any]:
        row = self._peek()
        assert row is not None
        self._next = None
        return row


def _connect(corpus: CorpusOptions) -> bool:
    """Connects to the cluster, or starts one here; returns whether it started one."""
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise ModelError(f"scheduler ray: Ray is not installed ({error}); pip install 'docspec-vlm[ray]'") from error

    for name in ("ray", "ray.data"):
        logging.getLogger(name).setLevel(logging.ERROR)
    quiet: dict[str, Any] = {"configure_logging": False, "log_to_driver": False}
    if ray.is_initialized():
        return False
    if corpus.ray_address is not None:
        ray.init(address=corpus.ray_address, **quiet)
        return True
    needed = corpus.ray_drafters + corpus.ray_actors
    ray.init(num_cpus=max(needed, processors()), include_dashboard=False, **quiet)
    return True


def _dataset(
    options: ParseOptions,
    corpus: CorpusOptions,
    jobs: Sequence[Job],
    held: Mapping[str, frozenset[int]],
    with_pictures: bool,
) -> Iterator[RayRow]:
    import ray

    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.execution_options.preserve_order = True
    rows = [
        {"index": index, "data": pickle.dumps((job.source, held.get(job.document, frozenset())))}
        for index, job in enumerate(jobs)
    ]
    drawn = ray.data.from_items(rows, override_num_blocks=min(len(rows), MOST_BLOCKS)).map_batches(
        Draw,
        fn_constructor_args=(options,),
        batch_size=1,
        compute=ray.data.ActorPoolStrategy(size=corpus.ray_drafters),
        num_cpus=1,
    )
    read = drawn.map_batches(
        Verify,
        fn_constructor_args=(options, with_pictures),
        batch_size=options.in_flight,
        compute=ray.data.ActorPoolStrategy(size=corpus.ray_actors),
        num_cpus=1,
        num_gpus=corpus.ray_gpus or None,
    )
    return iter(read.iter_rows())


MOST_BLOCKS = 10_000
"""Most blocks that documents are divided into."""


def _row(index: int, kind: str, value: Any) -> dict[str, Any]:
    """A batch of one row."""
    return {"index": [int(index)], "kind": [kind], "data": [pickle.dumps(value)]}


def _batch(rows: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """One batch of several."""
    listed = list(rows)
    return {name: [row[name][0] for row in listed] for name in ("index", "kind", "data")}
