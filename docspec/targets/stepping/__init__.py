"""Runs verification steps: eagerly, or in buckets of static buffers that can be captured.

``step`` has the inputs and outputs, ``eager`` runs a step in its own shapes, ``bucketed`` pads it into static buffers,
``captures`` turns a bucket's computation into a CUDA graph or a compiled function, ``choice`` selects the fastest that
works.
"""
