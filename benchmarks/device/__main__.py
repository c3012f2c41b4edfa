"""``python -m benchmarks.device DIR [OPTIONS]``: the check where docspec's packages are not installed.

Installs the wheels of the prepared folder DIR beside the machine's packages, without a package index, and goes on as
``python -m benchmarks device run --data DIR [OPTIONS]``. Needs Python and pip alone.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}


def main() -> None:
    data, *options = sys.argv[1:] or sys.exit(__doc__)
    wheels = sorted(Path(data).glob("wheels/*.whl"))
    place = Path(tempfile.gettempdir()) / f"docspec-device-{os.getuid()}"
    names = " ".join((sys.version, *(wheel.name for wheel in wheels)))
    site = place / hashlib.sha256(names.encode()).hexdigest()[:16]
    if not site.is_dir():
        install(wheels, site)
    path = os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH"))))
    caches = {"TORCHINDUCTOR_CACHE_DIR": str(place / "inductor"), "TRITON_CACHE_DIR": str(place / "triton")}
    command = [sys.executable, "-m", "benchmarks", "device", "run", "--data", data, *options]
    os.execve(sys.executable, command, {**os.environ, **OFFLINE, **caches, "PYTHONPATH": path})


def install(wheels: list[Path], site: Path) -> None:
    """The wheels into ``site``, all of them or nothing, and the stand-in for PyMuPDF where that is not installed."""
    site.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(dir=site.parent))
    if wheels:
        pip = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--no-compile"]
        subprocess.run([*pip, "--target", str(unfinished), *map(str, wheels)], check=True)
    if find_spec("pymupdf") is None:
        (unfinished / "pymupdf").mkdir()
        shutil.copy(Path(__file__).with_name("pymupdf_stand_in.py"), unfinished / "pymupdf" / "__init__.py")
    with contextlib.suppress(OSError):  # another process was first
        unfinished.rename(site)


if __name__ == "__main__":
    main()
