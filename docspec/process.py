"""The changes that docspec makes to its process. Environment variables are set here, unless the user has set them; the
other changes, their places, and the times at which they are undone:

| change | place | undone |
|---|---|---|
| switches of libraries (:func:`prepare`) | at import of docspec, but not inside vLLM | no: they are read once |
| warnings, logs, bars (:func:`silence`) | the command line, and children of docspec | no: they end with it |
| connections refused | :mod:`docspec.offline` | when the last parser that asked for it is closed |
| number of torch's threads | :mod:`docspec.targets.threads`; a child that shares the machine | after each step; no |
| a trace of a chat template that may not end | :mod:`docspec.targets.chat_template` | when it has ended |
| progress bars of transformers | :mod:`docspec.core.libraries` | after loading |
| signal handlers, standard output | :mod:`docspec.console`: the command line alone | at its end |
| what is done when a forked child ends | :mod:`docspec.isolation.nursery`, a process of its own | in its children |
| the umask, for as long as it is read | :func:`new_file_mode` | at once |
"""

from __future__ import annotations

import logging
import os
import threading
import warnings
from collections.abc import Mapping
from pathlib import Path

from docspec.core.container import processors, visible

NO_TELEMETRY = {
    "ORT_DISABLE_TELEMETRY": "1",  # onnxruntime: native threads that no hook in Python sees, and a device id on disk
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK": "True",  # paddlex asks every model host at the first missing model
}
"""Switches that keep libraries from reporting home."""

SPINS = "2000"
"""Turns for which torch's threads wait awake for each other, some hundredths of a millisecond. GNU's OpenMP lets them
spin for milliseconds: on a busy machine they use up the time that the last thread waits for, at each of thousands of
operations, and work of a second takes a minute."""

_umask = threading.Lock()


def prepare() -> None:
    """Sets the variables that libraries read at import, in this process and its children."""
    set_defaults(NO_TELEMETRY)
    if not _has_home():
        set_defaults({"HOME": os.devnull, "LOGNAME": "nobody"})
    if "OMP_WAIT_POLICY" not in os.environ:
        set_defaults({"GOMP_SPINCOUNT": SPINS})
    if (allowed := processors()) < visible():
        set_defaults({"OMP_NUM_THREADS": str(allowed)})  # libraries count those in sight


def _has_home() -> bool:
    """Whether this user has a home folder: in a container it may have no name and no variables. Nothing can be written
    below the null device, so that libraries do without configuration and cache, as if the folder were read-only."""
    try:
        Path.home()
    except RuntimeError:
        return False
    return True


def set_defaults(variables: Mapping[str, str]) -> None:
    """Sets environment ``variables`` that are not set."""
    for name, value in variables.items():
        os.environ.setdefault(name, value)


def silence() -> None:
    """Suppresses libraries' warnings and logs from now on."""
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)


def new_file_mode() -> int:
    """The permissions of a new file of this user."""
    with _umask:
        umask = os.umask(0)
        os.umask(umask)
    return 0o666 & ~umask
