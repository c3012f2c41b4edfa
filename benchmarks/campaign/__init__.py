"""Damaged and hostile files by the thousand, each parsed in its own process: ``python -m benchmarks.campaign -h``."""
