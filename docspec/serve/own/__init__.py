"""docspec's own engine as a server of ``/v1/chat/completions``, for ``docspec serve`` without another model server.

The gateway starts it as a child process on loopback, with a key that only the gateway knows; authentication of clients
and limits are the gateway's. Read: ``asking`` (the request body and its checks), ``batches`` (requests decoded in
batches, their inputs and their texts), ``app`` (the routes) and ``__main__``.
"""
