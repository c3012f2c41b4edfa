"""OpenAI-compatible servers as an engine: one or several, which share the requests.

``wire`` is what goes over the line and comes back, ``fleet`` decides which server is asked next and which one is given
up, ``client`` is the :class:`docspec.generation.interface.Generator` made of both.
"""

from docspec.generation.server.client import ServerGenerator, ServerReport
from docspec.generation.server.wire import ServedModel

__all__ = ["ServedModel", "ServerGenerator", "ServerReport"]
