"""vLLM on a machine that has a GPU and torch, reaches no package index, and is sent little at a time.

:mod:`made` makes, where there is a network, folders ``part-01``, ``part-02``, ... of it; each holds a slice of all
wheels and :mod:`receive` as its script, which runs over there. ``machine.txt`` names what is there already.
"""
