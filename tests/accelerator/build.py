"""Builds the simulated device (``device.cpp``): once for a torch and a source, with nothing but a C++ compiler."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from torch.utils import cpp_extension

SOURCE = Path(__file__).with_name("device.cpp")
FLAGS = ("-shared", "-fPIC", "-O1", "-g0", "-std=c++20", "-DAT_PER_OPERATOR_HEADERS")  # not those of all of ATen


def compiler() -> str | None:
    """The C++ compiler to use; ``None`` where there is none."""
    return next(filter(None, map(shutil.which, (os.environ.get("CXX", "c++"), "g++", "clang++"))), None)


def library() -> Path:
    """The built library, taken from the temporary directory where an earlier run has left it there.

    Raises ``RuntimeError`` with the compiler's words where it cannot be built.
    """
    key = hashlib.sha256(f"{torch.__version__} {sys.version} {FLAGS}".encode() + SOURCE.read_bytes())
    folder = Path(tempfile.gettempdir()) / f"docspec-simulated-device-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    built = folder / f"{key.hexdigest()[:16]}.so"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # test processes start together
        if not built.exists():
            _compile(built)
    return built


def _compile(built: Path) -> None:
    unfinished = built.with_suffix(".part")
    [libraries] = cpp_extension.library_paths()
    command = [str(compiler()), *FLAGS, f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}"]
    command += [f"-I{path}" for path in cpp_extension.include_paths()]
    command += [str(SOURCE), f"-L{libraries}", "-ltorch_cpu", "-lc10", f"-Wl,-rpath,{libraries}"]
    done = subprocess.run([*command, "-o", str(unfinished)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"the simulated device cannot be built:\n{done.stderr[-4000:]}")
    unfinished.rename(built)
