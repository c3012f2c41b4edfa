"""``python3 part-01/receive.py [PLACE]``: writes the part beside this script to its offset in PLACE/wheels.tar.

Needs Python and pip alone. Parts come in any order and may come twice; the one that completes them installs all wheels
into PLACE/site and imports the packages that the kit names. PLACE is /tmp/docspec-vllm unless given; one process at a
time. A part that is broken, or of another kit than those before it, changes nothing and is an error.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path
from typing import Any

PLACE = "/tmp/docspec-vllm"
CHUNK = 2**22


def main() -> None:
    here, place = Path(__file__).parent, Path(sys.argv[1] if len(sys.argv) > 1 else PLACE)
    about = json.loads((here / "part.json").read_text())
    site = place / "site"
    place.mkdir(parents=True, exist_ok=True)
    kit = place / "kit.txt"
    if kit.is_file() and kit.read_text() != about["kit_sha256"]:
        sys.exit(f"{place}: holds parts of another kit; give another folder or remove it")
    data = (here / "data").read_bytes()
    if hashlib.sha256(data).hexdigest() != about["sha256"]:
        sys.exit(f"part {about['part']}: broken on the way: {len(data)} bytes, its hash is not {about['sha256']}")
    kit.write_text(about["kit_sha256"])
    if not site.is_dir():
        _store(place, data, about)
        missing = [n for n in range(1, about["parts"] + 1) if not (place / f"{n}.here").is_file()]
        if missing:
            print(f"part {about['part']} of {about['parts']} is here; missing: {', '.join(map(str, missing))}")
            return
        _install(place, site, about["kit_sha256"])
    _import(site, about["imports"])


def _store(place: Path, data: bytes, about: dict[str, Any]) -> None:
    """Writes ``data`` where it belongs and notes that it is there, when it is."""
    whole = place / "wheels.tar"
    whole.touch()
    with whole.open("r+b") as file:
        file.seek(about["offset"])
        file.write(data)
    (place / f"{about['part']}.here").touch()


def _install(place: Path, site: Path, expected: str) -> None:
    """All wheels into ``site``, or nothing."""
    began, whole, wheels, unfinished = time.monotonic(), place / "wheels.tar", place / "wheels", place / "unfinished"
    digest = hashlib.sha256()
    with whole.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    if digest.hexdigest() != expected:
        for note in place.glob("*.here"):
            note.unlink()
        sys.exit("the parts are here but are not the kit: send them again")
    for folder in (wheels, unfinished):
        shutil.rmtree(folder, ignore_errors=True)
    with tarfile.open(whole) as packed:
        packed.extractall(wheels, filter="data")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--no-compile", "--no-cache-dir"]
    files = sorted(map(str, wheels.glob("*.whl")))
    subprocess.run([*pip, "--disable-pip-version-check", "--target", str(unfinished), *files], check=True)
    unfinished.rename(site)
    shutil.rmtree(wheels)
    whole.unlink()
    print(f"{len(files)} wheels are installed in {site}, {time.monotonic() - began:.1f} s")


def _import(site: Path, names: list[str]) -> None:
    """Imports every one in a process of its own. Exits with 1 where one fails."""
    path = os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH"))))
    failed = []
    for name in names:
        began = time.monotonic()
        command = f"import {name.partition('.')[0]} as top, {name}; print(getattr(top, '__version__', ''))"
        done = subprocess.run(
            [sys.executable, "-c", command], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
        )
        said = (done.stdout.strip() if done.returncode == 0 else done.stderr.strip()).rpartition("\n")[2]
        print(f"import {name}: {'' if done.returncode == 0 else 'FAILED: '}{said}, {time.monotonic() - began:.1f} s")
        failed += [name] * (done.returncode != 0)
    print(f"export PYTHONPATH={site}")
    if failed:
        sys.exit(1)


if __name__ == "__main__":
    main()
