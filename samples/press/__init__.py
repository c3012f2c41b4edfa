"""A small typesetter for the samples: one description of a page gives both its PDF and its Markdown.

Blocks are poured into frames on a grid of 11.52 pt rows, which are 32 pixels high at 200 dpi.
"""
