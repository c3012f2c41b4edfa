"""Documents are opened, rendered and drafted in child processes: a fault there costs a page, not the run.

A file may make MuPDF, ONNX Runtime or a drafter crash, hang or use up memory. So the process that holds the model never
calls them: a child (``worker.py``) does, called through ``child.py``, and is killed and replaced if it dies or exceeds
its time or memory. ``worker_handle.py`` decides what is lost: a rendered page loses its draft, any other page fails.
Pixels come through shared memory (``serving.py``), all else as pickles through pipes; nothing shared has a name,
so nothing is left behind, whichever process is killed.

On Linux the children are forked from one that has loaded the drafters and serves nothing (``nursery.py``), which saves
most of a start and shares the memory.

Engines in processes of their own (``--devices``, llama.cpp) have the same children
(:mod:`docspec.generation.processes`).

Read: ``pool.py`` (several children, documents), ``worker_handle.py``, ``nursery.py``, ``child.py``, ``serving.py``,
``worker.py``.
"""
