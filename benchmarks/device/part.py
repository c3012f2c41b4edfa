"""``python -m benchmarks.device.part NAME DATA DEVICE [--tiny]``: one part of the check, as the driver starts it.

It imports, waits for the line that tells how many seconds it has, and runs ``benchmarks.device.parts.NAME``.
"""

from __future__ import annotations

import sys
import time
from importlib import import_module
from pathlib import Path

from benchmarks.device.context import Context, guarded


def main() -> None:
    name, data, device, *more = sys.argv[1:]
    from docspec import offline

    offline.enforce()
    import transformers

    transformers.utils.logging.disable_progress_bar()
    for module in ("benchmarks.random_weights", "docspec.generation.local", "docspec.targets.registry"):
        import_module(module)
    context = Context(device, Path(data), tiny="--tiny" in more)
    line = sys.stdin.readline()
    if not line:
        return
    context.end = time.monotonic() + float(line)
    kind, _, argument = name.partition(":")
    with guarded(context, name):
        import_module(f"benchmarks.device.parts.{kind}").run(context, argument)


if __name__ == "__main__":
    main()
