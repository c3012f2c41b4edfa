"""A checker for the part of JSON Schema that our schemas use; raises on a keyword it does not know."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

_TYPES: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}
_NO_RULE = {"$schema", "$id", "$defs", "title", "description"}


def load_schema(name: str) -> dict[str, Any]:
    """A schema that ships with the package."""
    text = resources.files("docspec.reporting").joinpath(f"{name}.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def problems(value: Any, schema: dict[str, Any], root: dict[str, Any] | None = None, at: str = "$") -> list[str]:
    """Where ``value`` does not follow ``schema``; empty where it does."""
    root = schema if root is None else root
    found: list[str] = []
    for keyword, rule in schema.items():
        if keyword in _NO_RULE:
            continue
        if keyword == "$ref":
            found += problems(value, root["$defs"][rule.removeprefix("#/$defs/")], root, at)
        elif keyword == "anyOf":
            if all(problems(value, option, root, at) for option in rule):
                found.append(f"{at}: fits none of {len(rule)} forms")
        elif keyword == "type":
            if not any(_is(value, name) for name in ([rule] if isinstance(rule, str) else rule)):
                found.append(f"{at}: is no {rule}")
        elif keyword == "const":
            found += [] if value == rule else [f"{at}: is not {rule!r}"]
        elif keyword == "enum":
            found += [] if value in rule else [f"{at}: is none of {rule}"]
        elif keyword == "minimum":
            found += [f"{at}: below {rule}"] if _is(value, "number") and value < rule else []
        elif keyword == "maximum":
            found += [f"{at}: above {rule}"] if _is(value, "number") and value > rule else []
        elif keyword in ("minItems", "maxItems"):
            wrong = isinstance(value, list) and (len(value) < rule if keyword == "minItems" else len(value) > rule)
            found += [f"{at}: {keyword}"] if wrong else []
        elif keyword == "required":
            found += [f"{at}: lacks {name}" for name in rule if isinstance(value, dict) and name not in value]
        elif keyword == "properties":
            for name in rule.keys() & (value.keys() if isinstance(value, dict) else ()):
                found += problems(value[name], rule[name], root, f"{at}.{name}")
        elif keyword == "additionalProperties":
            extra = set(value) - set(schema.get("properties", {})) if isinstance(value, dict) else set()
            for name in extra:
                found += [f"{at}: unknown {name}"] if rule is False else []
                found += problems(value[name], rule, root, f"{at}.{name}") if isinstance(rule, dict) else []
        elif keyword == "items":
            for index, item in enumerate(value if isinstance(value, list) else ()):
                found += problems(item, rule, root, f"{at}[{index}]")
        else:
            raise ValueError(f"this checker does not know {keyword!r}")
    return found


def _is(value: Any, name: str) -> bool:
    return isinstance(value, _TYPES[name]) and not (isinstance(value, bool) and name in ("integer", "number"))
