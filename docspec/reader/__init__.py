"""The bundled reader, a small Qwen3-VL: its weights, tokenizer and checkpoint. ``training`` teaches it."""
