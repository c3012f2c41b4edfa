"""A model that runs elsewhere, as far as pages need to know it: how it is asked and how it sees, told from its files
where some are on this machine (no weights are needed), else from its name and its family."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from docspec.core import ModelError, ParseOptions
from docspec.core.options import BUNDLED_MODELS
from docspec.targets.families import families, family_of
from docspec.targets.family import Family
from docspec.targets.model_profile import ModelProfile
from docspec.targets.registry import BUNDLED
from docspec.targets.sight import PublishedSight, sight_in
from docspec.targets.validation import read_object

FACTOR = 28
"""Pixels that sides of crops are multiples of, where nothing is known of a model."""

READER = "docspec/reader/mini"
"""How the path of the bundled reader ends, on whichever machine it is served."""


@dataclass(frozen=True, slots=True)
class RemoteModel:
    """The model called ``name``: its ``family`` (``None``: none that is known), card, and how it sees pictures."""

    name: str
    family: Family | None
    card: ModelProfile
    sight: PublishedSight

    @property
    def model_type(self) -> str:
        """Its family's first, ``unknown`` without one."""
        return "unknown" if self.family is None else self.family.model_types[0]


def remote_model_of(options: ParseOptions, *served: str) -> RemoteModel:
    """The model that ``options`` name, else of the first of the ``served`` names (of the model, of where its
    server loaded it from) that tells. Raises :class:`docspec.core.ModelError` where nothing does."""
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
            f"{', '.join(names) or 'the served model'}: its name does not tell how it is asked; say --family "
            f"({', '.join(sorted(families()))}), --model with a published name or a folder that has its config.json, "
            "or --dialect and --prompt"
        )
    return RemoteModel(found.name, found.family, found.card.asked(options.dialect, options.prompt), found.sight)


def family_called(model: str) -> Family | None:
    """The family of a folder's checkpoint or of a published name, where one is known."""
    found = _on_disk(model) or _by_name(model)
    return None if found is None else found.family


def _unbundled(name: str) -> str:
    """The bundled reader's folder here, where ``name`` is one of its names or its folder elsewhere."""
    bundled = name in BUNDLED_MODELS or name.replace("\\", "/").rstrip("/").endswith(READER)
    return str(BUNDLED) if bundled else name


def _on_disk(name: str) -> RemoteModel | None:
    """Told by the files of a checkpoint in a folder of this machine."""
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
    """Told by the name of a published checkpoint, or of a model made of it; the longest name that fits."""
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
        raise ModelError(f"--family {name}: choose among {', '.join(sorted(known))}")
    return known[name]


def _sight(family: Family) -> PublishedSight:
    return family.sight or PublishedSight(family.factor or FACTOR)
