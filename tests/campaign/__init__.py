"""Damaged and hostile files by the thousand, each parsed in a process of its own: ``python -m tests.campaign -h``."""
