"""The seam between pages and engines: an image, a prompt, drafts and limits in; text, a finish reason and counts out.

``interface`` says what every engine promises. Each engine is a module or package of its own, which nothing but
:mod:`docspec.generation.choice` imports, so that the base needs the libraries of none of them.
"""
