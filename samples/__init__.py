"""Sample pages with ground truth: `python -m samples.make` writes every PDF and Markdown file of this folder.

`press` is a small typesetter, `pages` holds one description per kind of page.
"""
