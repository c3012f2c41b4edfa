"""The same crops through several engines: docspec's own, and vLLM without drafts, with its own methods and with
docspec's.

``tasks`` are the crops of documents with their drafts, ``workers`` runs vLLM in an environment of its own,
``measure`` puts all of them through the same crops in turn.
"""
