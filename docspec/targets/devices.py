"""``--devices``: the devices of a run, under torch's names."""

from __future__ import annotations

import re
from collections.abc import Callable

from docspec.core import ModelError, UsageError


def gpus() -> int:
    """The number of CUDA devices that this process may use."""
    import torch

    return torch.cuda.device_count()


def devices_of(text: str, count: Callable[[], int] = gpus) -> tuple[str, ...]:
    """The devices in ``text``: ``0,1`` are two GPUs, ``all`` is every GPU, ``cpu,cpu`` (a device may be repeated) two
    processes that share the processors. ``count`` returns the number of GPUs.

    Raises :class:`UsageError` for an invalid name, :class:`ModelError` for a GPU that does not exist.
    """
    there: int | None = None
    found = []
    for name in ["all"] if text.strip() == "all" else [each.strip() for each in text.split(",")]:
        if name == "cpu":
            found.append(name)
            continue
        match = re.fullmatch(r"(?a:all|(?:cuda:)?(\d{1,4}))", name)
        if match is None or (name == "all" and "," in text):
            raise UsageError(f"--devices {text}: write it like 0,1 or all (GPUs), or cpu,cpu")
        there = count() if there is None else there
        if there == 0 or int(match[1] or 0) >= there:
            raise ModelError(f"--devices {text}: this machine has {there} usable CUDA devices")
        found += [f"cuda:{index}" for index in range(there)] if name == "all" else [f"cuda:{int(match[1])}"]
    return tuple(found)
