"""How long torch's threads wait for each other awake.

Every operation that threads share ends when the last of them is done. GNU's OpenMP lets the others spin meanwhile, for
milliseconds: on a machine that does other work too they spin away the very time that the last one waits for, at each of
thousands of operations, and what takes a second alone takes a minute. After a short spin they sleep.
"""

from __future__ import annotations

import os

SPINS = "2000"
"""Turns of the loop, some hundredths of a millisecond."""


def wait_briefly() -> None:
    """Sets it where the user has said nothing. Torch reads it when it is imported, so this runs when docspec is."""
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", SPINS)
