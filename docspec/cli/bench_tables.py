"""Tables of the benchmarks on standard output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from docspec.bench.accuracy import PageAccuracy
    from docspec.bench.corrections import PageCorrections
    from docspec.bench.drafts import Point
    from docspec.bench.fidelity import Check, PageChecks, Skip
    from docspec.bench.memory import Peak
    from docspec.bench.speed import PageSpeed
    from docspec.reader.evaluate import Report


def _console() -> Console:
    return Console(highlight=False, markup=False, emoji=False)


def _table(title: str, left: Sequence[str], right: Sequence[str], dense: bool = False) -> Table:
    """A table whose first columns are words and whose others are figures; ``dense`` for many columns."""
    table = Table(title=title, title_justify="left")
    if dense:
        table.box, table.padding, table.show_edge = box.SIMPLE_HEAD, (0, 1, 0, 0), False
    for name in left:
        table.add_column(name, overflow="ellipsis" if dense else "fold", no_wrap=dense)
    for name in right:
        table.add_column(name, justify="right")
    return table


def print_speed(pages: Sequence[PageSpeed], target: str, repeats: int) -> None:
    """Each mode's end-to-end ratio by page, all ratios by kind where kinds have several pages, then everything."""
    from docspec.bench.charts import page_names
    from docspec.bench.speed import PLAIN, by_kind, summarise

    modes = [sample.mode for sample in pages[0].samples if sample.mode != PLAIN]
    columns = ["tokens", "plain s", *modes]
    each = _table("SR_e2e by page: plain seconds over the mode's", ["page"], columns, dense=True)
    for name, page in zip(page_names([(one.source, one.page) for one in pages]), pages, strict=True):
        plain = page.sample(PLAIN)
        faster = [f"{page.sr_e2e(mode):.2f}" for mode in modes]
        each.add_row(name, str(plain.tokens), f"{plain.total:.2f}", *faster)
    _console().print(each)
    kinds = by_kind(pages)
    if 1 < len(kinds) < len(pages):
        _console().print(_speed_by_kind(kinds, [PLAIN, *modes]))
    ratios = _table(
        f"All pages together: plain over the mode's, medians of {repeats} interleaved runs",
        ["mode"],
        ["AAL", "tok/step", "SR_decode", "SR_e2e", "range", "worst", "identical"],
        dense=True,
    )
    shares = _table(
        "Seconds, sums of medians; host: propose + tree + mask, share of all steps",
        ["mode"],
        ["draft", "stage 1", "prefill", "stage 2", "total", "host"],
        dense=True,
    )
    shares.caption = target
    for mode in [PLAIN, *modes]:
        one = summarise(pages, mode)
        ratios.add_row(
            mode,
            f"{one.aal:.2f}",
            f"{one.tokens_per_step:.2f}",
            f"{one.sr_decode:.2f}",
            f"{one.sr_e2e:.2f}",
            f"{one.sr_low:.2f}-{one.sr_high:.2f}",
            f"{one.worst:.2f}",
            f"{one.identical} of {one.pages}",
        )
        parts = (one.draft, one.stage1, one.prefill, one.stage2, one.total)
        shares.add_row(mode, *(f"{part:.2f}" for part in parts), f"{100 * one.host_share:.1f} %")
    _console().print(ratios)
    _console().print(shares)


def _speed_by_kind(kinds: dict[str, list[PageSpeed]], modes: Sequence[str]) -> Table:
    from docspec.bench.speed import summarise

    columns = ["mode", "AAL", "tok/step", "SR_decode", "SR_e2e", "identical"]
    table = _table("By kind of page", ["kind"], columns, dense=True)
    for kind, group in kinds.items():
        for mode in modes:
            one = summarise(group, mode)
            ratios = (one.aal, one.tokens_per_step, one.sr_decode, one.sr_e2e)
            identical = f"{one.identical} of {one.pages}"
            table.add_row(
                kind if mode == modes[0] else "", mode, *(f"{ratio:.2f}" for ratio in ratios), identical
            )
        table.add_section()
    return table


def print_drafts(points: Sequence[Point], target: str, stages: str) -> None:
    """One row for each level over all pages together."""
    from docspec.bench.drafts import levels, overall

    table = _table(
        f"What drafts of that quality bring, {points[0].runs} interleaved runs, stages: {stages}",
        ["draft"],
        ["agree", "draft", "AAL", "tok/step", "verify", "SR_decode", "SR_e2e", "same"],
        dense=True,
    )
    table.caption = (
        f"{target}. agree: 100 less the normalised edit distance (%) between the draft and the target's own output; "
        "draft: seconds a page; verify: speed-up of decoding alone, SR_decode and SR_e2e with the draft's time; "
        "same: runs whose output is that of plain decoding"
    )
    kind = points[0].kind
    for label, group in levels(points).items():
        if group[0].kind != kind:
            table.add_section()
            kind = group[0].kind
        steps = sum(point.steps for point in group) or 1
        accepted = sum(point.accepted for point in group)
        table.add_row(
            label,
            f"{100 * sum(point.accuracy for point in group) / len(group):.1f}",
            f"{sum(point.draft_seconds for point in group) / len(group):.2f}",
            f"{accepted / steps:.2f}",
            f"{(accepted + steps) / steps:.2f}",
            *(f"{overall(group, part):.2f}" for part in ("verify", "decode", "total")),
            f"{sum(point.identical for point in group)}/{sum(point.runs for point in group)}",
        )
    _console().print(table)


def print_fidelity(pages: Sequence[PageChecks]) -> None:
    """One row for each kind of draft and stage setting; then what was not compared; then the sum.

    ``cut`` are the pages that the loop guard ended, ``drafted`` the characters of the drafts.
    """
    from docspec.cli.bench_common import target_line

    checks = [check for page in pages for check in page.checks]
    attentions = list(dict.fromkeys(check.attention for check in checks))
    table = _table(
        "Identical to transformers' generate, token for token",
        ["drafts", "stages"],
        [*attentions, "cut", "drafted", "tokens", "tok/step"],
        dense=True,
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
    where = f"{documents} document" + ("" if documents == 1 else "s")
    target = next(page.target for page in pages if page.target)
    same = sum(check.identical for check in checks)
    console.print(f"{same} of {len(checks)} comparisons identical, {where} ({target_line(target)})")


def _identical(checks: Sequence[Check]) -> str:
    return f"{sum(check.identical for check in checks)}/{len(checks)}"


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
    from docspec.bench.charts import page_names

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
    each = _table("Normalised edit distance of the whole page", ["page"], ["drafter", *ROWS], dense=True)
    for name, page in zip(page_names([(one.source, one.page) for one in pages]), pages, strict=True):
        each.add_row(name, page.drafter, *(f"{row.score.page:.3f}" for row in page.rows))
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
