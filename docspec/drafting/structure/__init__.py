"""The structure of a page: its words and rules as one model (:mod:`tokens`), what a small network says of each two of
them (:mod:`features`, :mod:`relations`), what drawn lattices say for certain (:mod:`lattice`), and one search for the
grids that all this speaks for most (:mod:`clusters`, :mod:`grid`, :mod:`tables`), which take their places on the page
(:mod:`placing`). Heads over several columns have their own evidence (:mod:`head_rules`), and parts of one table below
each other (:mod:`going_on`). Recognised lines are words like others (:mod:`recognised`). ``training/structure`` teaches
the network.
"""
