"""No library that docspec uses reports home: their switches, set where the user has not set them.

They are read when a library is imported, in the process and in its children, so this runs when docspec itself is.
"""

from __future__ import annotations

import os

SWITCHES = {
    "ORT_DISABLE_TELEMETRY": "1",  # onnxruntime: native threads that no hook in Python sees, and a device id on disk
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK": "True",  # paddlex asks every model host at the first missing model
}


def switch_off() -> None:
    """Sets the switches that are not set."""
    for name, value in SWITCHES.items():
        os.environ.setdefault(name, value)
