"""Formulas of born-digital pages against their true LaTeX.

:mod:`benchmarks.formulas.made` typesets pages of random formulas, :mod:`benchmarks.formulas.likeness` compares LaTeX by
its symbols with their places, :mod:`benchmarks.formulas.drawing` draws LaTeX in a browser, and
:mod:`benchmarks.formulas.pictures` compares what was drawn.
"""
