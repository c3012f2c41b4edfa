"""DeepSeek-OCR (the first one), for which transformers has no class: its configuration and its image processing."""
