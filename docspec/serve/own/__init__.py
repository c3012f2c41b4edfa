"""docspec's own engine as a server of ``/v1/chat/completions``, for ``docspec serve`` without another model server.

The gateway starts it as a child process on loopback, with a key that only the gateway knows; authentication of clients
and limits are the gateway's. Read: ``asking`` (the request body and its checks), ``answers`` (requests of
the engine, and their answers), ``app`` (the routes) and ``__main__``.
"""
