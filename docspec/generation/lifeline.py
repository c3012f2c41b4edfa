"""A program: runs a command and ends it, with all of its processes, when standard input ends.

Standard input is a pipe that the run holds open: however the run ends, ``kill -9`` included, the pipe ends with it, and
an engine that takes seconds to end is not left behind. :data:`PAUSE` and :data:`RESUME`, written to it, stop the
command's processes and let them go on; stopped ones are ended like others. It imports nothing but the standard library.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading

PATIENCE = 10.0
"""Seconds that the command has to end by itself."""

ASKED_TO_END = [getattr(signal, name) for name in ("SIGINT", "SIGHUP", "SIGTERM") if hasattr(signal, name)]
AT_ONCE = getattr(signal, "SIGKILL", signal.SIGTERM)

PAUSE, RESUME = b"p", b"r"
TOLD = {ord(PAUSE): getattr(signal, "SIGSTOP", None), ord(RESUME): getattr(signal, "SIGCONT", None)}
"""The signal for each byte of standard input; none where the system cannot stop a process."""


def main(command: list[str]) -> int:
    """Runs ``command`` in a process group of its own; its exit code, or minus the signal that ended it."""
    for number in ASKED_TO_END:  # the pipe's end tells, and nothing else
        signal.signal(number, signal.SIG_IGN)
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=_take_signals_again if os.name == "posix" else None,
    )
    threading.Thread(target=_watch, args=(process,), daemon=True).start()
    code = process.wait()
    _signal(process, AT_ONCE)  # what it left behind
    return code


def _take_signals_again() -> None:
    """What is ignored would be ignored by the command too."""
    for number in ASKED_TO_END:
        signal.signal(number, signal.SIG_DFL)


def _watch(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        while told := os.read(0, 4096):
            for byte in told:
                _signal(process, TOLD.get(byte))
    _signal(process, signal.SIGTERM)
    _signal(process, TOLD[ord(RESUME)])  # only then does a stopped process hear of its end
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        _signal(process, AT_ONCE)


def _signal(process: subprocess.Popen[bytes], number: int | None) -> None:
    if number is None:
        return
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
