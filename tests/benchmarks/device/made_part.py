"""Stands for a part of the check: ``speak`` finds one thing, ``crash`` and ``hang`` do so and then do what they say, a
``child`` leaves a process behind. What each finds is what it was told: its arguments and seconds."""

from __future__ import annotations

import json
import subprocess
import sys
import time


def main() -> None:
    name, *told = sys.argv[1:]
    kind = name.partition(":")[0]
    seconds = float(sys.stdin.readline())
    print("what a library prints")
    print(json.dumps({"kind": "told", "seconds": seconds, "arguments": told}), flush=True)
    if kind == "child":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        print(json.dumps({"kind": "child", "pid": child.pid}), flush=True)
    if kind == "crash":
        sys.exit(3)
    if kind in ("hang", "child"):
        time.sleep(600)


if __name__ == "__main__":
    main()
