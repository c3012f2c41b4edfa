"""Reads pages with an engine behind the seam (:mod:`docspec.generation`), whose answers are texts.

A page is a task that waits for its answers. Pages share only the engine, so any number of them can be read at a time,
each in its own thread. ``answers`` has the context and sends requests, ``pages`` reads pages whole or by regions.
"""
