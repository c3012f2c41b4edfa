"""docspec's own engine as a server of ``/v1/chat/completions``, for ``docspec serve`` without a server behind it.

It runs as a process of its own that the gateway starts, on loopback and with a key that nobody else knows; who may ask
for how much is the gateway's to say. Read: ``asking`` (what a body asks for, and what is refused), ``prompts`` (a
conversation as the model's inputs), ``writing`` (an answer as it grows), ``batches`` (requests decoded side by side),
``app`` (the routes) and ``__main__``.
"""
