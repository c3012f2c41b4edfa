"""``docspec models show``: one model's facts: licence, size, memory, where it lies."""

from __future__ import annotations

from typing import Any

from docspec.cli.models.parameters import AsJson, Name, Offline, go_offline
from docspec.console import exits


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
    from docspec.models.hub import ask
    from docspec.models.known import entry_of, path_of
    from docspec.targets.estimate import gib
    from docspec.targets.families import families

    entry = entry_of(name)
    facts: dict[str, Any] = {"model": name}
    try:
        path = path_of(name)
    except ModelError:
        if offline or not entry.name.count("/") == 1 or name[0] in "./~":
            raise
        published = ask(name)
        facts |= {
            "licence": published.licence,
            "revision": published.revision,
            "size": f"{gib(published.size)} in {len(published.files)} files, to be fetched",
        }
        if published.gated:
            facts["access"] = "only for those who accept its licence on the hub"
    else:
        facts |= {"path": path, **_local(name, path)}
        revision = next((one.revision for one in entry.held if one.path == path), "")
        facts |= {"revision": revision} if revision else {}
    family = families().get(entry.family)
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


def _local(name: str, path: Any) -> dict[str, str]:
    from docspec.targets.card import TargetCard
    from docspec.targets.estimate import PROMPT, estimate, gib

    size = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    card = TargetCard("markdown").overridden_by(str(path))
    wanted = estimate(str(path), "bfloat16", PROMPT + card.max_new_tokens)
    return {"size": gib(size), "memory": f"{wanted.words} in bfloat16, twice that in float32"}
