"""The operator SpecDecode of the paper (section 3.2), in plain torch and Python.

Read in this order: ``alignment`` (where in the drafts are we?), ``tree`` (all continuations as one prefix tree),
``acceptance`` (which of them would the target have written?), ``decode`` (the loop that ties them to one forward
pass a step), ``autoregressive`` (the same engine without drafts: the baseline).

The default way to propose is ``cursor``, which goes beyond the paper's window: ``trail`` (a place that moves along),
``resumption`` and ``bridge`` (how a lost draft is taken up again), ``rewrites`` (what the target makes of drafts),
``draft_index`` and ``lookup`` (where the last tokens stand), ``odds`` and ``growth`` (which of all that gets a node).
"""
