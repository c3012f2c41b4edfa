"""Everything that suggests tokens. The engine knows a :class:`docspec.engine.proposer.Proposer`; here is the one that
mixes sources, and the sources.

Read in this order: ``continuation`` (what is suggested), ``source`` (who suggests it, and how to add one), ``grower``
(how suggestions become a tree), ``mixture`` and ``row_state`` (the proposer), ``registry`` (sources by name). Each
other file is a source or something that sources share: ``context`` (where the output is in the drafts), ``drafts`` (all
drafts as one text), ``spelling``, ``rates`` and ``threshold`` (which node is worth its place).
"""
