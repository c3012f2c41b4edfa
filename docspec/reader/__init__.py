"""The bundled reader: a small Qwen3-VL that reads print, and the recipe that trains it from nothing."""
