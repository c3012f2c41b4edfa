"""The simulated device, for every test of this folder."""

from __future__ import annotations

import os

import pytest

from tests.accelerator.build import compiler


@pytest.fixture(scope="session", autouse=True)
def device():
    """``torch.openreg`` with two devices. Skipped only where there is no compiler; CI has one."""
    if compiler() is None:
        if os.environ.get("CI"):
            pytest.fail("CI needs a C++ compiler: apt-get install g++")
        pytest.skip("no C++ compiler, which builds the simulated device")
    from tests.accelerator import openreg

    openreg.register()
    return openreg


@pytest.fixture(autouse=True)
def clean(device):
    """Every test starts with nothing counted, and must leave no upload overwritten before it was read."""
    device.EVENTS.clear()
    device.WHERE.clear()
    yield
    device._library.wait_for_device()
    assert not device.EVENTS["overwritten upload"], [w for w in device.WHERE if w[0] == "overwritten upload"]
