"""Where the handles of a parser get their children, and what becomes of them at its end."""

from __future__ import annotations

from docspec.isolation.child import Child
from docspec.isolation.worker import DocumentWorker


class Children:
    """Starts a child for each handle and ends it with it."""

    def begin(self, memory: int) -> Child:
        """A child with a :class:`docspec.isolation.worker.DocumentWorker`; ``memory`` is its limit in bytes."""
        return Child(DocumentWorker, memory)

    def end(self, child: Child, idle: bool) -> None:
        """Ends ``child``; ``idle``: nobody waits for an answer of it."""
        child.kill()


_source = Children()


def children() -> Children:
    """What every handle of this process gets its children from."""
    return _source


def get_children_from(source: Children) -> None:
    """From now on children come from ``source``, as for a program that keeps them from one parser to the next."""
    global _source
    _source = source
