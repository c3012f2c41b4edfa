"""Many documents: finds them, skips those that are done, and reads the rest, so that any run can be resumed.

A document's way: ``listing`` finds it and gives it a place in the output tree, ``resume`` says whether this run reads
it and whether a ``manifest`` has it already. ``run`` reads it and keeps its finished pages in a ``journal``. Its
outputs appear whole, then its line is added to the manifest. ``status`` and ``counts`` count.
"""
