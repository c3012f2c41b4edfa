"""The simulated device as a fixture."""

from __future__ import annotations

import os

import pytest

from tests.accelerator.build import compiler


@pytest.fixture(scope="session")
def device():
    """``torch.openreg`` with two devices. Skipped only where there is no compiler; CI has one."""
    if compiler() is None:
        if os.environ.get("CI"):
            pytest.fail("CI needs a C++ compiler: apt-get install g++")
        pytest.skip("no C++ compiler, which builds the simulated device")
    from tests.accelerator import openreg

    openreg.register()
    return openreg
