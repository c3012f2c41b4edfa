"""The simulated device."""

from tests.accelerator.simulated import device as device
