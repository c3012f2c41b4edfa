"""docspec as a reader of LlamaIndex."""

from llama_index.readers.docspec.base import DocspecReader

__all__ = ["DocspecReader"]
