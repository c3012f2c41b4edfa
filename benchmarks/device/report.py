"""``docs/gpu-measured.md`` of what runs of the check found: for each run its machine and a table for each question.

Runs without a GPU are left out; where no other is there, the page's first line says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from benchmarks.device.findings import Finding, Findings
from benchmarks.device.markdown import Row, figure, table
from benchmarks.device.report_times import in_short, times
from benchmarks.device.summary import WAYS, is_right

TITLE = "# docspec on a GPU, measured"
NEVER = "# docspec was never run on a GPU"
ABOUT = """
Made by `python -m benchmarks device report` of the findings in `benchmarks/device/results`. To measure on your own GPU:

```sh
python -m benchmarks device prepare                     # where there is a network: wheels, pages, drafts
python -m benchmarks device run --out out/device        # where the GPU is; eight minutes
python -m benchmarks.device .device --out out/device    # the same where docspec's packages are not installed
python -m benchmarks device report out/device/results.jsonl
```

Weights of published sizes are random: times are real, and the text follows a transcript, so that acceptance is real.
SR_decode and SR_e2e are how many times as fast a page is with trees as without, decoding alone and with its picture and
prompt.
"""


def page_of(runs: Iterable[Findings]) -> str:
    """The page; of several runs the latest first."""
    measured = sorted(
        (run for run in runs if run.first("facts").get("device")), key=lambda run: _of_run(run, "at_utc"), reverse=True
    )
    parts = [TITLE if measured else NEVER, ABOUT, *(part for run in measured for part in _sections(run))]
    return "\n".join(part.strip("\n") + "\n" for part in parts)


def _of_run(run: Findings, name: str) -> str:
    return str(run.first("run").get(name, "unknown"))


def _sections(run: Findings) -> Iterator[str]:
    facts = run.first("facts")
    yield f"## {facts['device']}, {_of_run(run, 'commit')}, {_of_run(run, 'at_utc')[:10]}"
    for section in (in_short, _machine, _correctness, times, _undone):
        yield from filter(None, section(run))


def _machine(run: Findings) -> Iterator[str]:
    facts, launch, copies = run.first("facts"), run.first("launch"), run.first("copies")
    versions = ", ".join(
        f"{name} {facts[name]}" for name in ("python", "torch", "transformers", "cuda") if name in facts
    )
    heads = {one["nodes"]: one for one in run.of("head")}
    rows: list[Row] = [
        ("card", f"{facts['device']}, {facts['memory_gib']:.0f} GiB, {facts['processors']} multiprocessors"),
        ("driver", str(facts.get("smi", "")).partition(", ")[2].partition(",")[0]),
        ("processor", f"{facts['cpus']} x {facts.get('cpu', 'unknown')}"),
        ("versions", versions),
        ("memory's bandwidth (triad)", _with("GB/s", run.first("bandwidth").get("triad_gb_s"))),
        ("matrix product, bfloat16", _with("TFLOP/s", run.first("matmul").get("tflops"))),
        ("launching an operation", _with("µs", launch.get("microseconds_an_operation"))),
        ("a small kernel in a graph", _with("µs", run.first("graph").get("microseconds_a_small_kernel"))),
        (
            "a copy and waiting for it, up and down",
            _with("µs", copies.get("up_and_wait_us"), copies.get("down_and_wait_us")),
        ),
    ]
    for nodes in sorted({1, 64} & set(heads)):
        of = heads[nodes]
        parts = ", ".join(f"{name} {figure(of[f'{name}_ms'])} ms" for name in ("linear", "argmax", "topk2"))
        rows.append((f"vocabulary of 151,936 for {nodes}", parts))
    yield table("Machine", ("what", "found"), [row for row in rows if row[1]])


def _with(unit: str, *values: Any) -> str:
    return "" if None in values else f"{', '.join(map(figure, values))} {unit}"


def _correctness(run: Findings) -> Iterator[str]:
    def verdict(family: Finding, mode: str) -> str:
        found = family.get(mode)
        if not found:
            return str(family.get("no_split", ""))
        wrong = [way.replace("_", " ") for way in WAYS if not found.get(way)]
        return f"{found.get('mode')}: {'all the same' if not wrong else 'differs: ' + ', '.join(wrong)}"

    families = [one for one in run.of("family") if not one.get("skipped")]
    right = sum(map(is_right, families))
    yield table(
        f"Families: {right} of {len(families)} write what `generate` writes",
        (
            "family",
            "float32, no graphs",
            "in graphs",
            "in graphs, keys split",
            "bfloat16: strict trees are plain steps",
        ),
        (
            (
                *(one["name"], *(verdict(one, mode) for mode in ("off", "auto", "split"))),
                one.get("bfloat16", {}).get("strict_is_plain"),
            )
            for one in sorted(families, key=lambda one: str(one["name"]))
        ),
        "Tiny checkpoints: plain steps and trees, alone and side by side, the prompt in pieces.",
    )
    checks = [(one, check) for one in run.of("fidelity") for check in one.get("checks", ())]
    yield table(
        "The bundled reader in float32 against `generate`",
        ("page", "graphs", "way", "tokens", "steps", "verdict"),
        ((one["page"], one["graphs"], c["way"], c["tokens"], c["steps"], c["verdict"]) for one, c in checks),
    )
    ties = run.first("near ties", page="all")
    yield table(
        "The bundled reader in bfloat16 against plain captured decoding",
        ("way", "crops", "identical", "tokens"),
        ((way, t["crops"], t["identical"], t["tokens"]) for way, t in ties.get("totals", {}).items()),
    )
    yield table(
        "`docspec doctor`",
        ("check", "right", "found"),
        (
            (one["name"], {True: "yes", False: "no"}.get(one["ok"], "cannot tell"), one["detail"])
            for one in run.of("doctor")
        ),
    )


def _undone(run: Findings) -> Iterator[str]:
    wrong = [(one["part"], f"{one['what']}: {one['error']}") for one in run.of("error")]
    wrong += [
        (one["part"], f"{one['how']} after {one['seconds']:.0f} s") for one in run.of("part") if one["how"] != "done"
    ]
    wrong += [(part, "no time was left") for one in run.of("skipped") for part in one["parts"]]
    yield table("What went wrong or was left out", ("part", "what"), wrong)
