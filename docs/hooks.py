"""Pages that mkdocs makes from the code itself, so that they cannot fall behind it."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

OPTIONS = "<!-- options -->"
SCHEMAS = "<!-- schemas -->"
ROOT = Path(__file__).resolve().parent.parent


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Puts the tables of options and of schema fields where a page asks for them."""
    if OPTIONS in markdown:
        markdown = markdown.replace(OPTIONS, _options())
    if SCHEMAS in markdown:
        files = sorted((ROOT / "docspec" / "reporting").glob("*.schema.json"))
        markdown = markdown.replace(SCHEMAS, "\n".join(_schema(file) for file in files))
    return markdown


def _options() -> str:
    """Every command with its options, as its help page has them."""
    from typer.main import get_command

    from docspec.cli.app import app

    parts: list[str] = []
    _command(get_command(app), "docspec", parts)
    return "\n".join(parts)


def _command(command: Any, name: str, parts: list[str]) -> None:
    if hasattr(command, "commands"):
        for child in command.commands.values():
            _command(child, f"{name} {child.name}", parts)
        return
    parts.append(f"\n## `{name}`\n\n{(command.help or '').strip()}\n")
    panels: dict[str, list[str]] = {}
    context = command.make_context(name, [], resilient_parsing=True)
    for parameter in command.params:
        record = parameter.get_help_record(context) if parameter.param_type_name == "option" else None
        if record is not None and "--help" not in parameter.opts:
            flags = html.escape(record[0]).replace("|", "&#124;")
            panel = getattr(parameter, "rich_help_panel", None) or "Options"
            text = _cell(record[1].replace("\\[", "["))  # escaped for Typer, which reads it as markup
            panels.setdefault(panel, []).append(f"| <code>{flags}</code> | {text} |")
    for panel, rows in panels.items():
        parts.append("\n".join([f"\n**{panel}**\n", "| option | |", "|---|---|", *rows]))


def _schema(file: Path) -> str:
    """A schema's own description and its properties, one table for each object."""
    schema = json.loads(file.read_text(encoding="utf-8"))
    parts = [f"\n## `{file.name}`\n\n{schema.get('description', schema.get('title', ''))}\n"]
    objects = {"(top)": schema, **schema.get("$defs", {})}
    for name, body in objects.items():
        properties = body.get("properties") or body.get("items", {}).get("properties")
        if not properties:
            continue
        needed = set(body.get("required", ()))
        parts.append(f"\n**{name}**\n\n| field | type | |\n|---|---|---|")
        for field, facts in properties.items():
            always = "" if field in needed else " *(where there is one)*"
            parts.append(f"| `{field}` | {_cell(_type(facts))} | {_cell(facts.get('description', ''))}{always} |")
    return "\n".join(parts) + "\n"


def _type(facts: dict[str, Any]) -> str:
    if "$ref" in facts:
        return str(facts["$ref"]).rsplit("/", 1)[-1]
    if "const" in facts:
        return f"`{facts['const']}`"
    if "enum" in facts:
        return ", ".join(f"`{value}`" for value in facts["enum"])
    for key in ("anyOf", "oneOf"):
        if key in facts:
            return " or ".join(_type(one) for one in facts[key])
    kind = facts.get("type", "any")
    found = " or ".join(kind) if isinstance(kind, list) else str(kind)
    return f"{found} of {_type(facts['items'])}" if found == "array" and "items" in facts else found


def _cell(text: str) -> str:
    return " ".join(str(text).split()).replace("|", "\\|")
