"""DeepSeek-OCR (the first), of which transformers has no class of its own: its configuration and its pictures."""
