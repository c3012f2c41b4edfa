"""The paper's tables and its figure 3 (arXiv 2602.12957) with docspec's rows beside the published ones.

``published.json`` holds the paper's figures, ``tables.py`` puts those of runs beside them, ``grid.py`` writes both.
"""
