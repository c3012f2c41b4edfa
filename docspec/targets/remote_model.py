"""A model that runs elsewhere: its prompts and image sizes, read from its files if some are on this machine (weights
are not needed), otherwise from its name and its family."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from docspec.core import ModelError, ParseOptions
from docspec.core.choices import BUNDLED_MODELS
from docspec.targets.families import families, family_of
from docspec.targets.family import Family, PublishedSight, sight_in
from docspec.targets.model_profile import ModelProfile
from docspec.targets.registry import BUNDLED
from docspec.targets.validation import read_object

FACTOR = 28
"""The grid in pixels that crops are padded to for an unknown model."""

READER = "docspec/reader/mini"
"""The end of the bundled reader's path on any machine."""


@dataclass(frozen=True, slots=True)
class RemoteModel:
    """The model called ``name``: its ``family`` (``None`` if unknown), card, and image sizes."""

    name: str
    family: Family | None
    card: ModelProfile
    sight: PublishedSight

    @property
    def model_type(self) -> str:
        """The first model type of its family; ``unknown`` without one."""
        return "unknown" if self.family is None else self.family.model_types[0]


def remote_model_of(options: ParseOptions, *served: str) -> RemoteModel:
    """The model in ``options``, otherwise the first of the ``served`` names (the model's, its path on the server) that
    is known. Raises :class:`docspec.core.ModelError` if none is."""
    named = () if options.model == "auto" else (options.model,)
    names = [_unbundled(name) for name in (*named, *served) if name]
    found = next(filter(None, (_on_disk(name) or _by_name(name) for name in names)), None)
    if options.family is not None:
        family = _called(options.family)
        found = RemoteModel(names[0] if names else options.family, family, family.card_of(*names), _sight(family))
    elif found is None and options.dialect is not None:
        found = RemoteModel(
            names[0] if names else "unknown", None, ModelProfile(options.dialect), PublishedSight(FACTOR)
        )
    if found is None:
        raise ModelError(
            f"{', '.join(names) or 'the served model'}: its name does not tell how it is asked; say --set family=NAME "
            f"({', '.join(sorted(families()))}), --model with a published name or a folder that has its config.json, "
            "or --set dialect=NAME and --set prompt=TEXT"
        )
    return RemoteModel(found.name, found.family, found.card.asked(options.dialect, options.prompt), found.sight)


def family_called(model: str) -> Family | None:
    """The family of a checkpoint's folder or of a published name; ``None`` if unknown."""
    found = _on_disk(model) or _by_name(model)
    return None if found is None else found.family


def _unbundled(name: str) -> str:
    """The bundled reader's folder on this machine, if ``name`` is one of its names or its path on another machine."""
    bundled = name in BUNDLED_MODELS or name.replace("\\", "/").rstrip("/").endswith(READER)
    return str(BUNDLED) if bundled else name


def _on_disk(name: str) -> RemoteModel | None:
    """The model of a checkpoint's folder on this machine; ``None`` if there is none."""
    folder = Path(name).expanduser()
    try:
        if not (folder / "config.json").is_file():
            return None
    except (OSError, ValueError):  # a name that no file can have
        return None
    family = family_of(read_object(folder / "config.json"))
    if family is None:
        return None
    path = str(folder)
    sight = sight_in(path, family.factor) or _sight(family)
    shown = "mini" if folder == BUNDLED else name
    return RemoteModel(shown, family, family.card_of(name, path).overridden_by(path), sight)


def _by_name(name: str) -> RemoteModel | None:
    """The published checkpoint that ``name`` is, or is derived from; the longest name that matches."""
    fitting = [
        (len(checkpoint.stem or checkpoint.name), family)
        for family in families().values()
        for checkpoint in family.checkpoints
        if checkpoint.is_named(name)
    ]
    if not fitting:
        return None
    family = max(fitting, key=lambda one: one[0])[1]
    return RemoteModel(name, family, family.card_of(name), _sight(family))


def _called(name: str) -> Family:
    known = families()
    if name not in known:
        raise ModelError(f"family {name}: choose among {', '.join(sorted(known))}")
    return known[name]


def _sight(family: Family) -> PublishedSight:
    return family.sight or PublishedSight(family.factor or FACTOR)
