"""A page's way: drafted, read whole or by regions, graded.

Read in this order: ``page`` (what the parser calls), ``readers`` (whole or by regions), ``whole`` with ``stage1``,
``stage2`` and ``together``, ``regions``; ``planner`` and ``costs`` (what pays), ``pacing`` (whether trees pay now).
``decoding`` is the engine as pages use it, ``served`` the same way for an engine in another process.
"""
