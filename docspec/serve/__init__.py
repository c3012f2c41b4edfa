"""``docspec serve``: a gateway between clients of ``/v1/chat/completions`` and the model servers behind it.

Clients need not know docspec: the gateway adds drafts to their requests, forwards them, and returns the server's own
answer. The package imports no torch. Read in this order: ``settings``; ``completions`` (the path of a request);
``chat`` and ``picture`` (its body); ``drafts`` with ``readers``, ``payoff``, ``recognition`` and ``uploads`` (the
sources of drafts); ``upstream`` (the model servers); ``access``, ``admission``, ``fetch`` (authentication and limits);
``gateway`` (shared state), ``app`` (routes) and ``running``.
"""
