"""Many documents: which there are, which are done, and reading the rest, so that any run that ended can be resumed.

A document's way: ``listing`` finds it and gives it a place in the output tree, ``shard`` says whose it is, ``resume``
whether a ``manifest`` has it already; ``run`` has it read, its finished pages kept in a ``journal``, its outputs appear
whole, and then its line stands in the manifest. ``status`` and ``tally`` count.
"""
