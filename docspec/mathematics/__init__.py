"""Formulas of born-digital pages: from glyphs with their fonts and places to LaTeX.

The road of a page: :mod:`docspec.mathematics.page` looks for a font that is made for formulas
(:mod:`docspec.mathematics.fonts`); :mod:`docspec.mathematics.glyphs` reads glyphs and drawn bars, and
:mod:`docspec.mathematics.symbols` names them; :mod:`docspec.mathematics.finding` tells formulas from prose;
:mod:`docspec.mathematics.layout` reads a formula as a tree, down to its rows (:mod:`docspec.mathematics.rows`), which
:mod:`docspec.mathematics.spelling` writes.
"""
