"""``docspec serve``: a gateway between clients of ``/v1/chat/completions`` and the servers that answer them.

Clients need not know of docspec: what they send passes through, with drafts in it, and the server's own answer passes
back. It imports no torch. Read in this order: ``settings``; ``completions`` (a request's way); ``chat`` and ``picture``
(what it holds); ``drafts`` with ``readers``, ``spelling``, ``payoff``, ``recognition``, ``cache`` and ``uploads``
(where drafts come from); ``upstream`` (who answers); ``access``, ``admission``, ``fetch`` (who may ask for how much);
``gateway`` (what all share), ``app`` (routes) and ``running``.
"""
