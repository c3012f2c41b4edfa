"""The operator SpecDecode of the paper (section 3.2), in plain torch and Python; it does not know who proposes.

Read in this order: ``request`` (what is asked), ``row`` (one sequence in the batch), ``tree`` (many continuations as
one prefix tree), ``batch`` (all trees in one forward pass), ``acceptance`` (which of them would the target have
written?), ``loop`` (propose, verify, accept, compact), ``scheduler`` (who enters a free place of the batch),
``autoregressive`` (the baseline). ``docspec.hierarchy.decoding`` is the whole as others use it, with what it takes
measured around it.
"""
