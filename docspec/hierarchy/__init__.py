"""The path of a page: drafted, read whole or by regions, graded.

Read in this order: ``page`` (called by the parser: whole or by regions), ``whole`` (Stages 1 and 2, and their
requests), ``regions``; ``answers`` (what becomes of requests); ``planner`` (which steps and trees pay). All of it
speaks to an engine by :mod:`docspec.generation.interface`, wherever the engine is.
"""
