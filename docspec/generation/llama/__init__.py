"""llama.cpp as an engine: one model in a child process, many requests in one batch, docspec's drafts verified in it.

Read in this order. In docspec's own process: ``gguf`` (a file's metadata), ``model_files`` (a model and its picture
tower: prompts, image sizes, memory), ``opening`` (starts the child, :mod:`docspec.generation.processes`, with
``settings``). In the child, which needs no torch: ``serving`` (the engine and its decoders), ``library``
(llama-cpp-python, checked), ``loaded`` (a model: tokens and batches), ``prompt_encoder`` (prompts in pieces),
``sequence`` (a request while it is decoded), ``engine`` (continuous batching and verification). ``converting`` and
``convert`` make files of checkpoints.
"""
