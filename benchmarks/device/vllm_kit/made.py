"""Resolves vLLM and docspec for the GPU's machine, downloads what that lacks, and cuts it into parts.

pip resolves with an empty package in place of each that the machine has, which needs nothing: so no byte of torch is
downloaded, and what only torch needs does not travel.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from docspec.core import UsageError

ROOT = Path(__file__).parents[3]
VLLM = "0.25.1"
"""The latest that is built for torch 2.11."""

PART = 55 * 2**20
"""Bytes of a part's data at most; with docspec's tree they stay below what is sent at once."""

PYTHON = "3.12"
GLIBC = range(39, 16, -1)
"""Minor versions of glibc that wheels may ask for: the machine has Ubuntu 24.04."""

LEFT_OUT = {
    "flashinfer-cubin": "0.6.13",
    "cuda-tile": "1.7.0",
    "tokenspeed-mla": "0.1.2",
    "humming-kernels": "0.1.10",
    "torchcodec": "0.14.0",
    "PyNvVideoCodec": "2.0.4",
}
"""What vLLM requires, imports where it is asked for alone, and the measurement does not ask for: kernels for another
attention than FLASH_ATTN and for quantised weights, and video. They are a third of all."""

IMPORTS = ("docspec.vllm", "vllm", "vllm.entrypoints.openai.api_server")


def prepare(out: Path, python: str, tell: Callable[[str], None]) -> int:
    """Makes the parts' folders in ``out``; returns how many.

    ``python`` is a Python of the machine's version: pip evaluates conditions of requirements for the Python it runs in.
    Raises :class:`docspec.core.UsageError` where it has another version or something cannot be had.
    """
    asked = "import sys; print(*sys.version_info[:2], sep='.')"
    try:
        version = subprocess.run([python, "-c", asked], capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError) as error:
        raise UsageError(f"{python}: {error}") from error
    if version != PYTHON:
        raise UsageError(f"{python} is Python {version}; the machine has {PYTHON} (--python)")
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out) as name:
        work = Path(name)
        try:
            wheels = _downloaded(work, python, tell)
        except subprocess.CalledProcessError as error:
            raise UsageError(f"{' '.join(error.cmd[:4])} ... failed with {error.returncode}") from error
        return cut(wheels, out, IMPORTS, PART, tell)


def _downloaded(work: Path, python: str, tell: Callable[[str], None]) -> list[Path]:
    subprocess.run([python, "-m", "venv", str(work / "venv")], check=True)
    unconstrained = work / "constraints.txt"
    unconstrained.touch()

    def pip(*words: str) -> None:
        # What pip's configuration pins here is not what the other machine has.
        command = [str(work / "venv/bin/pip"), "--disable-pip-version-check", "-q", *words]
        subprocess.run(command, check=True, env={**os.environ, "PIP_CONSTRAINT": str(unconstrained)})

    pip("install", "--upgrade", "pip")
    wheels = work / "wheels"
    pip("wheel", "--no-deps", "-w", str(wheels), str(ROOT))
    [docspec] = wheels.glob("*.whl")
    machine = machine_packages(Path(__file__).with_name("machine.txt").read_text())
    stubs = [stub(work / "stubs", name, version) for name, version in {**machine, **LEFT_OUT}.items()]
    tags = [f"manylinux_2_{minor}_x86_64" for minor in GLIBC] + ["manylinux2014_x86_64", "manylinux1_x86_64"]
    of = ["--only-binary=:all:", "--python-version", PYTHON, "--implementation", "cp"]
    of += [word for tag in tags for word in ("--platform", tag)]
    report = work / "report.json"
    resolve = ["install", "--dry-run", "--ignore-installed", "--target", str(work / "none"), "--report", str(report)]
    pip(*resolve, *of, *map(str, stubs), str(docspec), f"vllm=={VLLM}")
    found = travelling(json.loads(report.read_text()), work)
    tell(f"{len(found)} packages travel, {len(machine)} are there, {', '.join(LEFT_OUT)} are left out")
    wanted = [f"{name}=={version}" for name, version in sorted(found.items())]
    pip("download", "--no-deps", *of, "-d", str(wheels), *wanted)
    return sorted(wheels.glob("*.whl"))


def travelling(report: dict[str, Any], work: Path) -> dict[str, str]:
    """Names and versions of the packages in pip's ``report`` that were not made in ``work``. An index may be a folder
    of this machine, too."""
    made_here = work.absolute().as_uri() + "/"
    return {
        one["metadata"]["name"]: one["metadata"]["version"]
        for one in report["install"]
        if not one["download_info"]["url"].startswith(made_here)
    }


def machine_packages(text: str) -> dict[str, str]:
    """Names and versions of the lines ``NAME==VERSION``; those that begin with # are comments."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return {name: version for name, _, version in (line.partition("==") for line in lines)}


def stub(folder: Path, name: str, version: str) -> Path:
    """A wheel of that name and version that holds and needs nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    plain = name.replace("-", "_")
    file, about = folder / f"{plain}-{version}-py3-none-any.whl", f"{plain}-{version}.dist-info"
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        packed.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        packed.writestr(f"{about}/RECORD", "")
    return file


def _same_each_time(member: tarfile.TarInfo) -> tarfile.TarInfo:
    return member.replace(deep=False, mtime=0, mode=0o644, uid=0, gid=0, uname="", gname="")


def cut(wheels: Iterable[Path], out: Path, imports: Iterable[str], size: int, tell: Callable[[str], None]) -> int:
    """Puts ``wheels`` into folders ``part-NN`` of ``out``, at most ``size`` bytes of data each; returns how many.

    Each has ``data``, ``part.json`` (its number, offset and hash, the hash of all, what is imported at the end) and
    ``receive.py``. Folders of an earlier kit are removed.
    """
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("part-*"):
        shutil.rmtree(old)
    with tempfile.TemporaryFile(dir=out) as whole:
        with tarfile.open(fileobj=whole, mode="w") as packed:
            for wheel in wheels:
                packed.add(wheel, wheel.name, filter=_same_each_time)
        length = whole.tell()
        whole.seek(0)
        kit = hashlib.file_digest(whole, "sha256").hexdigest()
        whole.seek(0)
        count = -(-length // size)
        for number in range(1, count + 1):
            folder = out / f"part-{number:02}"
            folder.mkdir()
            offset, data = whole.tell(), whole.read(size)
            (folder / "data").write_bytes(data)
            about = {"part": number, "parts": count, "offset": offset, "sha256": hashlib.sha256(data).hexdigest()}
            about |= {"kit_sha256": kit, "imports": list(imports)}
            (folder / "part.json").write_text(json.dumps(about) + "\n")
            shutil.copy(Path(__file__).with_name("receive.py"), folder / "receive.py")
    tell(f"{out}: {count} parts, {length / 2**20:.1f} MiB")
    return count
