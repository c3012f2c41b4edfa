"""Everything that proposes tokens. The engine knows only :class:`docspec.engine.proposer.TreeProposer`; this package
has one that mixes several proposers, and the proposers.

Read in this order: ``continuation`` (what a proposer suggests), ``proposer`` (the contract of a proposer, and how to
add one), ``grower`` (suggestions become a tree), ``mixture`` and ``row_state`` (the mixture of proposers), ``registry``
(proposers by name). ``chains`` is for engines that verify a chain of tokens (vLLM, llama.cpp). Each other file is a
proposer or is shared by proposers: ``context`` (the position of the output in the drafts), ``drafts`` (all drafts as
one text), ``spelling``, ``rates`` and ``threshold`` (which node is worth its place).
"""
