"""Mutation testing of the heart: a sample of cosmic-ray's mutants of each area, and the share that the tests kill.

Mutants are made in a clone of the repository, one at a time, and the area's own tests run until the first failure. A
mutant that changes nothing (an equivalent one) counts as alive, so that 100 % are not to be reached. The fast layer
runs, or with ``--all`` every layer.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shlex
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ANNOTATIONS = "core/ReplaceBinaryOperator_BitOr_.*"
"""Mutants of ``X | None``, which nothing evaluates."""


@dataclass(frozen=True, slots=True)
class Area:
    """``modules`` are mutated, ``tests`` run for each mutant, those most likely to see it first."""

    name: str
    modules: tuple[str, ...]
    tests: tuple[str, ...]
    seconds: float = 1200.0


AREAS = (
    Area("engine", ("docspec/engine",), ("tests/engine", "tests/exactness", "tests/proposing")),
    Area(
        "proposing",
        ("docspec/proposing/mixture.py", "docspec/proposing/grower.py", "docspec/proposing/resumption.py"),
        ("tests/proposing", "tests/engine", "tests/exactness"),
    ),
    Area(
        "spelling",
        ("docspec/dialects/spelling.py", "docspec/dialects/box_numbers.py", "docspec/proposing/respelling.py"),
        ("tests/dialects", "tests/proposing"),
    ),
    Area(
        "resume",
        ("docspec/corpus/resume.py", "docspec/corpus/manifest.py"),
        ("tests/corpus", "tests/cli/test_folders.py"),
    ),
)


@dataclass(frozen=True, slots=True)
class Share:
    """Of ``tried`` mutants, those ``killed`` by the tests; ``alive`` names the others by file, line and operator."""

    area: str
    tried: int
    killed: int
    alive: tuple[str, ...]


def mutate(
    area: Area, clone: Path, cosmic_ray: Path, python: Path, options: Sequence[str], sample: int, seed: int
) -> Share:
    """Runs a ``sample`` of the area's mutants in ``clone`` with the tests of ``python``; ``options`` are pytest's."""
    modules = [path for path in area.modules if (clone / path).exists()]
    tests = [path for path in area.tests if (clone / path).exists()]
    config, session = clone / f".mutants-{area.name}.toml", clone / f".mutants-{area.name}.sqlite"
    session.unlink(missing_ok=True)
    # Paths on the command line would run every layer of them: see tests/layers.py.
    paths = ["-o", f"testpaths={' '.join(tests)}"]
    command = shlex.join([str(python), *["-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"], *options, *paths])
    config.write_text(
        f"[cosmic-ray]\nmodule-path = {json.dumps(modules)}\ntimeout = {area.seconds}\nexcluded-modules = []\n"
        f"test-command = {json.dumps(command)}\n[cosmic-ray.distributor]\nname = 'local'\n"
        f"[cosmic-ray.filters.operators-filter]\nexclude-operators = [{json.dumps(ANNOTATIONS)}]\n"
    )

    def run(program: str, *words: object) -> str:
        found = subprocess.run(
            [str(cosmic_ray / program), *map(str, words)],
            cwd=clone,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(clone)},
        )
        return found.stdout

    run("cosmic-ray", "init", config.name, session.name)
    run("cr-filter-operators", session.name, config.name)
    _keep_sample(session, sample, seed)
    run("cosmic-ray", "exec", config.name, session.name)
    results = [json.loads(line) for line in run("cosmic-ray", "dump", session.name).splitlines()]
    tried = [(job["mutations"][0], result) for job, result in results if result and _was_run(result)]
    alive = tuple(
        f"{mutation['module_path']}:{mutation['start_pos'][0]} {mutation['operator_name']}"
        for mutation, result in tried
        if result["test_outcome"] == "survived"
    )
    return Share(area.name, len(tried), len(tried) - len(alive), alive)


def _was_run(result: dict[str, object]) -> bool:
    return result["worker_outcome"] == "normal"


def _keep_sample(session: Path, sample: int, seed: int) -> None:
    """Leaves ``sample`` of the mutants that are not filtered out."""
    with sqlite3.connect(session) as database:
        jobs = database.execute("select job_id from work_items order by job_id").fetchall()
        done = {job for (job,) in database.execute("select job_id from work_results")}
        order = database.execute(
            "select job_id, module_path, operator_name, occurrence, operator_args from mutation_specs "
            "order by module_path, operator_name, occurrence, operator_args"
        ).fetchall()
        open_jobs = [job for job, *_ in order if job not in done]
        kept = set(random.Random(seed).sample(open_jobs, min(sample, len(open_jobs))))
        for (job,) in jobs:
            if job not in kept:
                for table in ("work_results", "mutation_specs", "work_items"):
                    database.execute(f"delete from {table} where job_id = ?", (job,))


def main(words: Sequence[str]) -> None:
    """``python -m benchmarks.mutants CLONE COSMIC_RAY_BIN SAMPLE [--area NAME ...] [PYTEST OPTION ...]``: prints a line
    for each area, or for those that are named."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__)
    parser.add_argument("clone", type=lambda path: Path(path).resolve(), help="a clone of the repository")
    parser.add_argument("cosmic_ray", type=Path, help="the folder of cosmic-ray's programs")
    parser.add_argument("sample", type=int, help="mutants of each area")
    parser.add_argument("--area", action="append", choices=[area.name for area in AREAS])
    given, options = parser.parse_known_args(words)
    for area in AREAS:
        if given.area and area.name not in given.area:
            continue
        share = mutate(area, given.clone, given.cosmic_ray, Path(sys.executable), options, given.sample, seed=48)
        print(f"{area.name}: {share.killed} of {share.tried} killed", *share.alive, sep="\n  alive ", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
