"""The operator SpecDecode of the paper (section 3.2), in plain torch and Python; it is independent of the proposers.

Read in this order: ``request`` (the input), ``row`` (one sequence in the batch), ``tree`` (many continuations as one
prefix tree), ``batch`` (all trees in one forward pass), ``acceptance`` (which of them would the target have written?),
``loop`` (propose, verify, accept, compact), ``scheduler`` (requests enter free rows of the batch), ``measuring`` (what
each row costs), ``decoder`` (a target with its settings, and the baseline), ``continuous`` (requests from any thread).
"""
