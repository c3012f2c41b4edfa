"""docspec as a converter of Haystack."""

from haystack_integrations.components.converters.docspec.converter import DocspecConverter

__all__ = ["DocspecConverter"]
