"""OpenAI-compatible servers as an engine: one or several that share the requests.

``wire`` builds request bodies, ``reading`` and ``answers`` read what comes back, ``connections`` makes one HTTP
exchange, ``fleet`` chooses the next server and gives up those that fail; ``client`` is the
:class:`docspec.generation.interface.Generator` made of these.
"""

from docspec.generation.server.client import ServerGenerator, ServerReport
from docspec.generation.server.wire import ServedModel

__all__ = ["ServedModel", "ServerGenerator", "ServerReport"]
