"""The bundled reader, a small Qwen3-VL: weights and what lies beside them, read as any checkpoint is. ``training``,
beside the package, makes them."""
