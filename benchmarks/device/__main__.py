"""``python -m benchmarks.device DIR [OPTIONS]``: the check where docspec's packages are not installed.

Installs the wheels of the prepared folder DIR beside the machine's packages, without a package index, and goes on as
``python -m benchmarks device run --data DIR [OPTIONS]``. Needs Python and pip alone.
"""

from __future__ import annotations

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
    site = place / "site"
    site.mkdir(parents=True, exist_ok=True)
    if wheels:
        install(wheels, site)
    if find_spec("pymupdf") is None:
        (site / "pymupdf").mkdir(exist_ok=True)
        shutil.copy(Path(__file__).with_name("pymupdf_stand_in.py"), site / "pymupdf" / "__init__.py")
    path = os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH"))))
    caches = {"TORCHINDUCTOR_CACHE_DIR": str(place / "inductor"), "TRITON_CACHE_DIR": str(place / "triton")}
    command = [sys.executable, "-m", "benchmarks", "device", "run", "--data", data, *options]
    os.execve(sys.executable, command, {**os.environ, **OFFLINE, **caches, "PYTHONPATH": path})


def install(wheels: list[Path], site: Path) -> None:
    """The wheels into ``site``, unless they are there."""
    done = site / "wheels.txt"
    names = "\n".join(wheel.name for wheel in wheels)
    if done.is_file() and done.read_text() == names:
        return
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--no-compile", "--no-cache-dir"]
    subprocess.run([*pip, "--upgrade", "--target", str(site), *map(str, wheels)], check=True)
    done.write_text(names)


if __name__ == "__main__":
    main()
