"""How one verification step is run: as it comes, or in buckets of static buffers that can be captured.

``step`` holds what goes in and comes out, ``eager`` runs a step in its own shapes, ``bucketed`` pads it into static
buffers, ``captures`` turns a bucket's computation into a CUDA graph or a compiled function, ``choice`` picks what
works.
"""
