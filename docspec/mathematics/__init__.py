"""Formulas of born-digital pages: from glyphs with their fonts and places to LaTeX.

The road of a page: :mod:`fonts` says which of its fonts are mathematical, :mod:`glyphs` reads glyphs and drawn bars,
:mod:`symbols` names them, :mod:`finding` tells formulas from prose, :mod:`layout` reads a formula as a tree, and
:mod:`latex` writes it.
"""
