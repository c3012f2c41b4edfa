"""The published benchmarks: one file a data set, and what runs over them. Begin with ``item.py``."""
