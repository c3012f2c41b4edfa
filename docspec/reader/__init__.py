"""The bundled reader, a small Qwen3-VL, its draft model and heads: weights and what lies beside them, read as any
checkpoint is. ``training``, beside the package, makes them."""
