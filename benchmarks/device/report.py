"""``docs/gpu-measured.md`` of what runs of the check found: for each run its machine and a table for each question.

Runs without a GPU are left out; where no other is there, the page's first line says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from benchmarks.device.findings import Finding, Findings, distinct
from benchmarks.device.markdown import Row, figure, table
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

KERNEL_GROUPS = (
    ("attention with a mask", ("fmha_",)),
    ("flash attention", ("pytorch_flash",)),
    ("matrix products", ("nvjet", "gemm", "cutlass", "splitK")),
    ("copies and concatenations", ("Copy", "copy", "Cat", "cat")),
    ("element-wise operations", ("elementwise",)),
    ("reductions", ("reduce",)),
)
"""Kernels by words in their names; the first group that fits counts."""


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
    for section in (_machine, _correctness, _steps, _pages, _costs, _attention, _product, _compiled, _undone):
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
        found = family.get(mode) or {}
        wrong = [way.replace("_", " ") for way in WAYS if not found.get(way)]
        return f"{found.get('mode')}: {'all the same' if not wrong else 'differs: ' + ', '.join(wrong)}"

    families = [one for one in run.of("family") if not one.get("skipped")]
    right = sum(map(is_right, families))
    yield table(
        f"Families: {right} of {len(families)} write what `generate` writes",
        ("family", "float32, no graphs", "float32, the quickest way", "bfloat16: strict trees are plain steps"),
        (
            (one["name"], verdict(one, "off"), verdict(one, "auto"), one.get("bfloat16", {}).get("strict_is_plain"))
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


def _steps(run: Findings) -> Iterator[str]:
    for (model,) in distinct(run.of("step"), "model"):
        steps = run.of("step", model=model)
        trees = sorted({one["tree"] for one in steps})
        rows: list[Row] = []
        for way, mode, prefix, count in sorted(distinct(steps, "way", "mode", "prefix", "rows"), key=_step_order):
            found = {s["tree"]: s for s in run.of("step", model=model, way=way, mode=mode, prefix=prefix, rows=count)}
            floor = next(iter(found.values()))["floor_ms"]
            rows.append((way, mode, prefix, count, floor, *(found.get(tree, {}).get("wall_ms") for tree in trees)))
        head = ("attention", "steps", "prefix", "rows", "floor", *(f"{tree} nodes" for tree in trees))
        note = "Milliseconds; the floor is reading weights, keys and values once at the bandwidth above."
        yield table(f"A step of {model}", head, rows, note)


def _step_order(group: tuple[Any, ...]) -> tuple[Any, ...]:
    way, mode, prefix, rows = group
    return mode == "eager", prefix, rows, way != "masked", way


def _pages(run: Findings) -> Iterator[str]:
    yield table(
        "Pages that follow a transcript",
        *(
            (
                "model",
                "page",
                "attention",
                "tokens",
                "a step",
                "plain step ms",
                "tree step ms",
                "prefill s",
                "plain page s",
            ),
            (
                (
                    *(one["model"], one["page"], one["way"], one["trees"]["tokens"], one["tokens_a_step"]),
                    *(one["plain_ms_a_token"], one["tree_ms_a_step"], one["trees"]["prefill_s"], _total(one["plain"])),
                )
                for one in run.of("page")
            ),
        ),
    )
    yield table(
        "The same pages: how much faster",
        ("model", "page", "attention", "with trees s", "SR_decode", "SR_e2e", "with drafting", "follows"),
        (
            (
                *(one["model"], one["page"], one["way"], _total(one["trees"]), one["sr_decode"]),
                *(one["sr_e2e_drafts_ready"], one["sr_e2e_with_draft"]),
                one["trees"]["follows"] and one["plain"]["follows"],
            )
            for one in run.of("page")
        ),
        "Plain steps have the same attention as trees. Drafting was timed where the page was prepared.",
    )
    yield table(
        "transformers' `generate`, without docspec",
        ("model", "prompt", "ms a token", "page s, reckoned from 36 tokens"),
        ((one["model"], one["prompt"], one["ms_a_token"], one["page_s_extrapolated"]) for one in run.of("generate")),
    )


def _total(reading: Finding) -> float:
    return float(reading["encode_s"] + reading["prefill_s"] + reading["decode_s"])


def _costs(run: Findings) -> Iterator[str]:
    names = ("encode", "upload", "vision", "decoder", "prefill")
    yield table(
        "Where the time of a prompt goes",
        (
            "model",
            "tokens",
            "patches",
            "picture on the host s",
            "copy s",
            "vision s",
            "decoder s",
            "prefill whole s",
            "peak GiB",
        ),
        (
            (one["model"], one["prompt"], one["patches"], *(one["seconds"].get(n) for n in names), one.get("peak_gib"))
            for one in run.of("prefill")
        ),
    )
    hosts = run.of("host")
    parts = dict.fromkeys(part for one in hosts for part in one["ms_a_step"])
    yield table(
        "Where the time of a step with a tree goes, on the host",
        ("part", *(one["model"] for one in hosts)),
        (
            *((part, *(one["ms_a_step"].get(part) for one in hosts)) for part in parts),
            *([("step", *(one["step_ms"] for one in hosts))] if hosts else []),
        ),
        "Milliseconds a step.",
    )
    kernels = run.of("kernels")
    groups = [name for name, _ in KERNEL_GROUPS]
    yield table(
        "Where the time on the device goes",
        ("model", "what", "milliseconds", *groups, "other"),
        ((one["model"], one["what"], one["total_ms"], *_shares(one)) for one in kernels),
        "Shares of the device's time by the names of its longest kernels; the rest is under other.",
    )


def _shares(kernels: Finding) -> list[str]:
    spent = dict.fromkeys((name for name, _ in KERNEL_GROUPS), 0.0)
    for kernel, ms, _ in kernels["top"]:
        group = next((name for name, words in KERNEL_GROUPS if any(word in kernel for word in words)), None)
        if group is not None:
            spent[group] += ms
    whole = kernels["total_ms"] or 1.0
    return [f"{100 * ms / whole:.0f} %" for ms in (*spent.values(), whole - sum(spent.values()))]


def _attention(run: Findings) -> Iterator[str]:
    found = run.of("attention")
    ways = [way for (way,) in distinct(found, "way")]
    rows = []
    for model, prefix, tree in distinct(found, "model", "prefix", "tree"):
        of = {one["way"]: one for one in run.of("attention", model=model, prefix=prefix, tree=tree)}
        rows.append((model, prefix, tree, *(of.get(way, {}).get("microseconds") for way in ways)))
    note = "Microseconds a layer, captured. `cut` and dense flash attention are over the prefix alone."
    yield table("Attention of one layer", ("model", "prefix", "nodes", *ways), rows, note)


def _product(run: Findings) -> Iterator[str]:
    yield table(
        "`docspec bench speed`, the bundled reader",
        ("page", "precision", "mode", "tokens", "steps", "seconds", "SR_decode", "SR_e2e", "identical"),
        (
            (
                *(one["page"], one["dtype"], one["mode"], one["tokens"], one["steps"], one["total"]),
                *(one["sr_decode"], one["sr_e2e"], one["identical"]),
            )
            for one in run.of("speed")
        ),
    )
    yield table(
        "`docspec parse`, the bundled reader, started anew",
        ("in flight", "pages", "seconds", "exit code"),
        ((one["in_flight"], one["pages"], one["seconds"], one["rc"]) for one in run.of("parse")),
    )


def _compiled(run: Findings) -> Iterator[str]:
    def device_ms(kind: str, one: Finding) -> Any:
        return run.first(kind, what=one["what"], tree=one["tree"]).get("device_ms")

    yield table(
        "`torch.compile`",
        ("step", "nodes", "seconds to compile", "eager ms", "compiled ms", "captured ms", "both ms", "same choices"),
        (
            (
                *(one["what"], one["tree"], one["compile_s"], one["eager_ms"], one["compiled_ms"]),
                *(device_ms("captured", one), device_ms("compiled and captured", one)),
                f"{100 * one['agree']:.0f} %",
            )
            for one in run.of("compiled")
        ),
    )


def _undone(run: Findings) -> Iterator[str]:
    wrong = [(one["part"], f"{one['what']}: {one['error']}") for one in run.of("error")]
    wrong += [
        (one["part"], f"{one['how']} after {one['seconds']:.0f} s") for one in run.of("part") if one["how"] != "done"
    ]
    wrong += [(part, "no time was left") for one in run.of("skipped") for part in one["parts"]]
    yield table("What went wrong or was left out", ("part", "what"), wrong)
