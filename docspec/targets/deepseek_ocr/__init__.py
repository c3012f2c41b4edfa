"""DeepSeek-OCR (the first), of which transformers has no class: two towers, one behind the other, and the decoder that
it has for DeepSeek-OCR 2. Names of weights and of settings are the published ones."""
