"""The path of a page: drafted, read whole or by regions, graded.

Read in this order: ``page`` (called by the parser), ``readers`` (whole or by regions), ``whole`` (Stages 1 and 2),
``regions``; ``planner`` (which steps pay), ``pacing`` (whether trees pay at present).
``decoding`` runs the engine for pages; ``remote`` does the same with an engine in another process.
"""
