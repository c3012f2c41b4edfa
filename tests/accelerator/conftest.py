"""The simulated device, for every test of this folder."""

from __future__ import annotations

import pytest

from tests.accelerator.simulated import device as device


@pytest.fixture(autouse=True)
def clean(device):
    """Every test starts with nothing counted, and must leave no upload overwritten before it was read."""
    device.EVENTS.clear()
    device.WHERE.clear()
    yield
    device._library.wait_for_device()
    assert not device.EVENTS["overwritten upload"], [w for w in device.WHERE if w[0] == "overwritten upload"]
