"""Tables of the benchmarks on standard output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from docspec.bench.accuracy import PageAccuracy
    from docspec.bench.corrections import PageCorrections
    from docspec.bench.fidelity import Check, PageChecks, Skip
    from docspec.bench.memory import Peak
    from docspec.bench.speed import PageSpeed
    from docspec.reader.evaluate import Report


def _console() -> Console:
    return Console(highlight=False, markup=False, emoji=False)


def _table(title: str, left: Sequence[str], right: Sequence[str]) -> Table:
    table = Table(title=title, title_justify="left")
    for name in left:
        table.add_column(name, overflow="fold")
    for name in right:
        table.add_column(name, justify="right")
    return table


def print_speed(pages: Sequence[PageSpeed]) -> None:
    """One row a page with the end-to-end ratio of each mode, then one row a mode with everything."""
    from docspec.bench.speed import PLAIN, overall

    modes = [sample.mode for sample in pages[0].samples if sample.mode != PLAIN]
    each = _table("SR_e2e by page: plain seconds over the mode's", ["page"], ["tokens", "plain s", *modes])
    for page in pages:
        plain = page.sample(PLAIN)
        ratios = [f"{page.sr_e2e(mode):.2f}" for mode in modes]
        each.add_row(f"{page.source} {page.page}", str(plain.tokens), f"{plain.total:.2f}", *ratios)
    columns = [
        "tok/step",
        "AAL",
        "SR_decode",
        "SR_e2e",
        "worst",
        "draft",
        "stage 1",
        "prefill",
        "stage 2",
        "identical",
    ]
    total = _table("All pages together (seconds are sums of medians)", ["mode"], columns)
    for mode in [PLAIN, *modes]:
        samples = [page.sample(mode) for page in pages]
        steps = sum(sample.steps for sample in samples) or 1
        accepted = sum(sample.accepted for sample in samples)
        total.add_row(
            mode,
            f"{(accepted + steps) / steps:.2f}",
            f"{accepted / steps:.2f}",
            f"{overall(pages, mode, decode=True):.2f}",
            f"{overall(pages, mode):.2f}",
            f"{min(page.sr_e2e(mode) for page in pages):.2f}",
            *(
                f"{sum(getattr(s, part) for s in samples):.2f}"
                for part in ("draft", "stage1", "prefill", "stage2")
            ),
            f"{sum(sample.identical for sample in samples)} of {len(samples)}",
        )
    _console().print(each)
    _console().print(total)


def print_fidelity(pages: Sequence[PageChecks]) -> None:
    """One row for each kind of draft and stage setting; then what was not compared; then the sum."""
    from docspec.cli.bench_common import target_line

    checks = [check for page in pages for check in page.checks]
    attentions = list(dict.fromkeys(check.attention for check in checks))
    table = _table(
        "Identical to transformers' generate, token for token",
        ["drafts", "stages"],
        [*attentions, "guard", "draft chars", "tokens", "tok/step"],
    )
    for drafts, stages in dict.fromkeys((check.drafts, check.stages) for check in checks):
        alike = [check for check in checks if (check.drafts, check.stages) == (drafts, stages)]
        steps = sum(check.steps for check in alike)
        accepted = sum(check.accepted for check in alike)
        table.add_row(
            drafts,
            stages,
            *(_identical([check for check in alike if check.attention == one]) for one in attentions),
            str(sum(check.stopped != "" for check in alike)),
            str(sum(check.draft_characters for check in alike)),
            str(sum(check.tokens for check in alike)),
            f"{(accepted + steps) / steps:.2f}" if steps else "",
        )
    console = _console()
    console.print(table)
    _print_skips(console, [skip for page in pages for skip in page.skips])
    documents = len({check.source for check in checks})
    target = next(page.target for page in pages if page.target)
    console.print(
        f"{_identical(checks)} comparisons identical, {documents} documents ({target_line(target)})"
    )


def _identical(checks: Sequence[Check]) -> str:
    return f"{sum(check.identical for check in checks)} of {len(checks)}"


def _print_skips(console: Console, skips: Sequence[Skip]) -> None:
    if not skips:
        return
    table = _table("Not compared", ["drafts", "reason"], ["pages", "failed"])
    for drafts, reason in dict.fromkeys((skip.drafts, skip.reason) for skip in skips):
        alike = [skip for skip in skips if (skip.drafts, skip.reason) == (drafts, reason)]
        pages = {(skip.source, skip.page) for skip in alike}
        table.add_row(drafts, reason, str(len(pages)), "yes" if any(s.failed for s in alike) else "")
    console.print(table)


def print_memory(peaks: Sequence[Peak]) -> None:
    """One row a run, with its ratio to the first."""
    table = _table("Peak resident memory", [], ["pages", "MiB", "of the first", "seconds"])
    for peak in peaks:
        table.add_row(
            str(peak.pages), f"{peak.mib:.0f}", f"{peak.mib / peaks[0].mib:.3f}", f"{peak.seconds:.0f}"
        )
    _console().print(table)


def print_accuracy(pages: Sequence[PageAccuracy], target: str) -> None:
    """The four ways to a text, mean over pages; then the page distance of each way by page."""
    from docspec.bench.accuracy import ROWS, mean_score

    columns = ["page", "text", "order", "TEDS", "TEDS-S", "tokens", "seconds"]
    total = _table(
        f"Against the truth, mean of {len(pages)} pages: distances (0 is right), TEDS (1 is right)",
        ["what"],
        columns,
    )
    total.caption = target
    by_name = {name: [row for page in pages for row in page.rows if row.name == name] for name in ROWS}
    for name, rows in by_name.items():
        mean = mean_score(rows)
        total.add_row(
            name,
            *map(_share, (mean.page, mean.text, mean.order, mean.teds, mean.teds_structure)),
            str(sum(row.tokens for row in rows)),
            f"{sum(row.seconds for row in rows):.1f}",
        )
    each = _table("Normalised edit distance of the whole page", ["page"], ["drafter", *ROWS])
    for page in pages:
        each.add_row(page.source, page.drafter, *(f"{row.score.page:.3f}" for row in page.rows))
    _console().print(each)
    _console().print(total)


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def print_corrections(pages: Sequence[PageCorrections]) -> None:
    """One row a page: wrong characters of the draft that stand in the output."""
    columns = ["changed", "left, relaxed", "left, exact", "left, no draft", "kept out, relaxed"]
    table = _table("Wrong characters of the draft that reach the output", ["page"], columns)

    def row(name: str, changed: int, relaxed: int, exact: int, alone: int) -> None:
        share = f"{100 * (1 - relaxed / changed):.1f} %" if changed else ""
        table.add_row(name, str(changed), str(relaxed), str(exact), str(alone), share)

    for page in pages:
        row(page.source, page.changed, page.relaxed, page.exact, page.undrafted)
    table.add_section()
    fields = ("changed", "relaxed", "exact", "undrafted")
    changed, relaxed, exact, alone = (sum(getattr(page, field) for page in pages) for field in fields)
    row("all", changed, relaxed, exact, alone)
    _console().print(table)


def print_reader(report: Report) -> None:
    """One row a bucket."""
    columns = ["samples", "CER %", "exact %", "repeated %", "skipped %", "seconds"]
    table = _table(
        f"Bundled reader, seed {report.seed}, {report.threads} threads", ["what", "fonts"], columns
    )
    for bucket in report.buckets:
        table.add_row(
            bucket.name,
            "unseen" if bucket.unseen_fonts else "seen",
            str(bucket.samples),
            *(f"{100 * value:.2f}" for value in (bucket.cer, bucket.exact, bucket.repeated, bucket.skipped)),
            f"{bucket.seconds:.2f}",
        )
    _console().print(table)
    print("blank page:", repr(report.blank_output))
