"""A page's result as JSON values and back, for the journal: everything that is written and reported of it.

The page image is not kept, only the pictures on it; they are put back on a white page, where the writer finds them.
"""

from __future__ import annotations

import base64
import io
import types
from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass, replace
from enum import Enum
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from docspec.core import PageResult
from docspec.reporting.figures import pictures_of

PICTURES = "pictures"


def page_values(result: PageResult, *, with_pictures: bool) -> dict[str, Any]:
    """``result`` as JSON values; ``with_pictures``: pixels of its pictures too."""
    values = asdict(replace(result, image=None))
    del values["image"]
    if with_pictures and result.image is not None:
        size = (result.image.width, result.image.height)
        crops = [
            (box.rounded()[:2], _png(picture)) for _, _, box, picture in pictures_of(result)
        ]
        values[PICTURES] = {"size": size, "crops": crops}
    return values


def page_result(values: Mapping[str, Any]) -> PageResult:
    """The result that ``values`` were made of. Raises ``TypeError``, ``KeyError`` or ``ValueError`` for others."""
    result: PageResult = _value_of(PageResult, {k: v for k, v in values.items() if k != PICTURES})
    pictures = values.get(PICTURES)
    if pictures is None or not pictures["crops"]:
        return result
    from PIL import Image

    page = Image.new("RGB", tuple(pictures["size"]), "white")
    for place, png in pictures["crops"]:
        with Image.open(io.BytesIO(base64.b64decode(png)), formats=("PNG",)) as picture:
            page.paste(picture, tuple(place))
    return replace(result, image=page)


def _png(picture: Any) -> str:
    buffer = io.BytesIO()
    picture.save(buffer, format="PNG", compress_level=1)
    return base64.b64encode(buffer.getvalue()).decode("ascii")


def _value_of(kind: Any, value: Any) -> Any:
    """``value`` as the annotation ``kind`` has it: dataclasses, tuples, enumerations and ``None`` or one of them."""
    if get_origin(kind) in (Union, types.UnionType):
        if value is None:
            return None
        [kind] = [each for each in get_args(kind) if each is not types.NoneType]
    if is_dataclass(kind) and isinstance(kind, type):
        hints = _hints(kind)
        known = {each.name for each in fields(kind)}
        return kind(**{name: _value_of(hints[name], each) for name, each in value.items() if name in known})
    if get_origin(kind) is tuple:
        return tuple(_value_of(get_args(kind)[0], each) for each in value)
    return kind(value) if isinstance(kind, type) and issubclass(kind, Enum) else value


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind, localns={"Image": object})  # Pillow's, imported for type checkers alone
