"""``docspec models show``: licence, size, memory and place of one model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from docspec.cli.models.parameters import AsJson, Name, Offline, go_offline
from docspec.console import exits

if TYPE_CHECKING:
    from docspec.targets.model_profile import ModelProfile


def show(name: Name, offline: Offline = False, as_json: AsJson = False) -> int:
    """Family, dialect, licence, size, memory and place of a model. What is not on this machine is asked of the hub."""
    go_offline(offline)
    from docspec.core.safe_text import dump_json, one_line

    facts = _facts(name, offline)
    if as_json:
        print(dump_json(facts, indent=2))
    else:
        for what, value in facts.items():
            print(f"{what + ':':<12} {one_line(str(value))}")
    return exits.OK


def _facts(name: str, offline: bool) -> dict[str, Any]:
    from docspec.core import ModelError
    from docspec.models.known import entry_of, path_of
    from docspec.targets.families import families
    from docspec.targets.model_profile import ModelProfile

    entry = entry_of(name)
    facts: dict[str, Any] = {"model": name}
    family = families().get(entry.family)
    try:
        path = path_of(name)
    except ModelError:
        if name.partition("@")[0].count("/") != 1 or name[0] in "./~" or (offline and not entry.billions):
            raise
        facts |= {"path": "not on this machine"} if offline else _published(name)
    else:
        card = (family.card_of(name) if family is not None else ModelProfile("markdown")).overridden_by(str(path))
        facts |= {"path": str(path), **_local(path, card)}
        revision = next((one.revision for one in entry.held if one.path == path), "")
        facts |= {"revision": revision} if revision else {}
    if family is not None:
        facts |= {"family": entry.family, "dialect": family.card_of(name).dialect}
        facts |= {"note": family.note} if family.note else {}
    elif entry.family:
        facts["family"] = f"{entry.family} (not one that docspec knows; see --dialect and --prompt)"
    if entry.billions:
        facts["parameters"] = f"{entry.billions:g} billion"
    if entry.licence:
        facts.setdefault("licence", entry.licence)
    return facts


def _published(name: str) -> dict[str, str]:
    from docspec.models.hub import ask
    from docspec.targets.estimate import gib

    model = ask(name)
    return {
        "licence": model.licence,
        "revision": model.revision,
        "size": f"{gib(model.size)} in {len(model.files)} files, to be fetched",
        **({"access": "only for those who accept its licence on the hub"} if model.gated else {}),
    }


def _local(path: Path, card: ModelProfile) -> dict[str, str]:
    from docspec.targets.estimate import PROMPT, estimate, gib

    size = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    wanted = estimate(str(path), "bfloat16", PROMPT + card.max_new_tokens)
    return {"size": gib(size), "memory": f"{wanted.words} in bfloat16, twice that in float32"}
