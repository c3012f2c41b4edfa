"""A page's result as JSON values and back, for the journal: everything that is written and reported of it.

The page image is not kept, only the pictures on it; they are put back on a white page, where the writer finds them.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from docspec.core import PageResult
from docspec.core.plausible import check_page
from docspec.core.validation import InvalidValues, values_as
from docspec.documents.view import MAX_PIXELS
from docspec.reporting.figures import pictures_of

PICTURES = "pictures"


def page_values(result: PageResult, *, with_pictures: bool) -> dict[str, Any]:
    """``result`` as JSON values; ``with_pictures``: pixels of its pictures too."""
    values = asdict(replace(result, image=None))
    del values["image"]
    if with_pictures and result.image is not None:
        size = (result.image.width, result.image.height)
        crops = [(box.rounded()[:2], _png(picture)) for _, _, box, picture in pictures_of(result)]
        values[PICTURES] = {"size": size, "crops": crops}
    return values


def page_result(values: Mapping[str, Any]) -> PageResult:
    """The result that ``values`` were made of. Raises :class:`docspec.core.validation.InvalidValues` for others."""
    result = values_as(PageResult, {name: value for name, value in values.items() if name != PICTURES})
    if result.image is not None:
        raise InvalidValues("pixels where none are kept")
    check_page(result)
    given = values.get(PICTURES)
    if given is None:
        return result
    pictures = values_as(_Pictures, given)
    if not pictures.crops:
        return result
    if not 0 < pictures.size[0] * pictures.size[1] <= MAX_PIXELS:
        raise InvalidValues(f"a page of {pictures.size} pixels")
    from PIL import Image

    page = Image.new("RGB", pictures.size, "white")
    try:
        for place, png in pictures.crops:
            with Image.open(io.BytesIO(base64.b64decode(png)), formats=("PNG",)) as picture:
                page.paste(picture, place)
    except Exception as error:  # whatever Pillow raises for bytes that are no picture
        raise InvalidValues(f"a picture that cannot be read ({error})") from error
    return replace(result, image=page)


@dataclass(frozen=True, slots=True)
class _Pictures:
    size: tuple[int, int]
    crops: tuple[tuple[tuple[int, int], str], ...]


def _png(picture: Any) -> str:
    buffer = io.BytesIO()
    picture.save(buffer, format="PNG", compress_level=1)
    return base64.b64encode(buffer.getvalue()).decode("ascii")
