"""The command line: a thin layer that turns words into ``ParseOptions``, calls the parser, and writes files.

Importing it must stay cheap: torch, transformers and PyMuPDF are imported by the commands when they run.
"""

from __future__ import annotations

import gc
import os
import sys


def main() -> None:
    """Entry point of ``docspec``: runs the command line and exits with its code."""
    from docspec.cli.app import run
    from docspec.lookahead import is_abandoned_work_left

    code = run()
    if is_abandoned_work_left():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    gc.freeze()  # the interpreter's last collections would walk all of torch, for a second, to free nothing
    sys.exit(code)
