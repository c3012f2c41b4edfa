"""The bundled reader: its network, its tokenizer, and the checkpoint that they are written as."""
