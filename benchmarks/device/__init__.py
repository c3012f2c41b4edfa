"""One command that measures docspec on a GPU in eight minutes, on a machine that reaches no package index.

``prepare`` makes, where there is a network, a folder of what such a machine lacks: wheels, page pictures, drafts and
transcripts. ``run`` takes the parts of :mod:`benchmarks.device.plan` one stage after the other (:mod:`driver`); each is
a process of its own (:mod:`part`) that runs a module of :mod:`benchmarks.device.parts` and writes a line a finding.
``report`` makes ``docs/gpu-measured.md`` of such lines. Weights of published sizes are random and made on the device:
times are real, and text follows a transcript.
"""
