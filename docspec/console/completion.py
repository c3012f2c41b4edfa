"""Shell completion of the names of models, proposers and families. Choices complete themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable


def _models() -> Iterable[str]:
    from docspec.models.known import entries

    return ["auto", *(entry.name for entry in entries())]


def _proposers() -> Iterable[str]:
    from docspec.proposing.registry import proposers

    return ["cursor", "window", *(f"cursor+{name}" for name in ("model:mini-draft", "head:mini-hivis")), *proposers]


def _families() -> Iterable[str]:
    from docspec.targets.families import families

    return families()


NAMES: dict[str, Callable[[], Iterable[str]]] = {"model": _models, "align": _proposers, "family": _families}
"""Possible values of an option, by its field."""


def completing(field: str) -> Callable[[str], list[str]] | None:
    """Typer's callback for the names of ``field`` that begin with the typed text; ``None`` without known names."""
    if field not in NAMES:
        return None

    def found(incomplete: str) -> list[str]:
        return [name for name in dict.fromkeys(NAMES[field]()) if name.lower().startswith(incomplete.lower())]

    return found
