"""The operator SpecDecode of the paper (section 3.2), in plain torch and Python.

Read in this order: ``alignment`` (where in the drafts are we?), ``tree`` (all continuations as one prefix tree),
``acceptance`` (which of them would the target have written?), ``decode`` (the loop that ties them to one forward
pass a step), ``autoregressive`` (the same engine without drafts: the baseline).
"""
