"""Everything that suggests tokens. The engine knows a :class:`docspec.engine.proposer.TreeProposer`; here is the one
that mixes proposers, and the proposers.

Read in this order: ``continuation`` (what is suggested), ``proposer`` (who suggests it, and how to add one), ``grower``
(how suggestions become a tree), ``mixture`` and ``row_state`` (the proposer), ``registry`` (proposers by name). Each
other file is a proposer or something that proposers share: ``context`` (where the output is in the drafts), ``drafts``
(all drafts as one text), ``spelling``, ``rates`` and ``threshold`` (which node is worth its place).
"""
