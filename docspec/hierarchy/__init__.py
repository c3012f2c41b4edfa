"""The path of a page: drafted, read whole or by regions, graded.

Read in this order: ``page`` (called by the parser: whole or by regions), ``whole`` (Stages 1 and 2), ``regions``;
``asking`` (requests) and ``answers`` (what becomes of them); ``planner`` (which steps pay), ``pacing`` (whether trees
pay at present). All of it speaks to an engine by :mod:`docspec.generation.interface`, wherever the engine is.
"""
