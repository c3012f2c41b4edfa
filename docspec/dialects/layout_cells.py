"""dots.ocr's layout JSON: cells are written byte for byte as the model writes them, and read back despite damage.

Complete JSON is read by the standard library. Anything else (cut off by the budget, a quote not escaped, a comma
forgotten, prose or a code fence around it) is read by a search for cells that goes on after each fault. Text outside
all cells becomes a cell of its own, ``Text`` without a box.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from docspec.core import Category

_ANYWHERE = re.compile("[\b\f\r](?=[A-Za-z])")
_TABS = (
    r"ext(?:bf|it|rm|sf|tt|normal|color|style|up|sc|md)?|imes|heta|au|anh?|ilde|frac|binom|riangle(?:q|left|right|down)?"
    r"|herefore|op?|ag|hickapprox|hicksim|hinspace|hickspace|wohead(?:left|right)arrow|iny|t|f|g|h|d"
)
_FEEDS = (
    r"abla|eq|otin|exists|eg|mid|onumber|olimits|subset(?:eq)?q?|supset(?:eq)?q?|parallel|leq?|leqslant|geq?|geqslant|eqq"
    r"|less|gtr|prec(?:eq)?|succ(?:eq)?|sim|cong|approx|vdash|Vdash|vDash|VDash|triangle(?:left|right)(?:eq)?"
    r"|earrow|warrow|(?:left|right|leftright)arrow|(?:Left|Right|Leftright)arrow|ormalsize|obreak|ewcommand|ewline|shortmid"
)
_ALWAYS = re.compile(rf"\t(?=(?:{_TABS})(?![A-Za-z]))|\n(?=(?:{_FEEDS})(?![A-Za-z]))")
_OF_SINGLE = re.compile(r"(?<!\\)\n(?=(?:u|e|i|ot|atural)(?![A-Za-z]))")
_MATH = re.compile(r"\$\$.+?\$\$|(?<!\\)\$[^$\n]*(?:\n(?!\s*\n)[^$\n]*)*\$|\\\(.+?\\\)|\\\[.+?\\\]", re.DOTALL)
_OPENING = re.compile(r"\A\s*(?:\$\$|\\\[)\n(?=.*\n\s*(?:\$\$|\\\])\s*\Z)", re.DOTALL)
_LETTERS = {"\b": "\\b", "\f": "\\f", "\r": "\\r", "\t": "\\t", "\n": "\\n"}

_ESCAPES = re.compile(r"\\(?:\\(?P<double>[A-Za-z]{2})?|(?P<single>[^\\\"/bfnrtu\s]|u(?![0-9a-fA-F]{4}))|.)", re.DOTALL)


def writes_single_backslashes(answer: str) -> bool:
    r"""Whether LaTeX stands in ``answer``, a text in JSON, with single backslashes: it has more escapes that JSON does
    not know (``\phi``) than commands with an escaped backslash (``\\phi``)."""
    escapes = [(escape["single"], escape["double"]) for escape in _ESCAPES.finditer(answer)]
    singles, doubles = sum(bool(one) for one, _ in escapes), sum(bool(two) for _, two in escapes)
    return singles > doubles


def restored(text: str, *, formula: bool, single: bool = False) -> str:
    """``text`` with the backslashes of LaTeX commands put back; ``formula`` says whether all of it is one, ``single``
    whether its answer writes single backslashes."""
    text = _ANYWHERE.sub(_spelled, text)
    if "\t" not in text and "\n" not in text:
        return text
    if formula:
        return _in_formula(text, single)
    return _MATH.sub(lambda match: _in_formula(match[0], single), text)


def _in_formula(text: str, single: bool) -> str:
    opening = _OPENING.match(text)  # a line of its own for the marks: this feed is one
    start = opening.end() if opening else 0
    rest = _ALWAYS.sub(_spelled, text[start:])
    return text[:start] + (_OF_SINGLE.sub(_spelled, rest) if single else rest)


def _spelled(control: re.Match[str]) -> str:
    return _LETTERS[control[0]]


FloatBox = tuple[float, float, float, float]

_KEYS = ("bbox", "category", "text")
_QUOTE = "[\"'“”]"
_ANY_KEY = re.compile(rf"{_QUOTE}?(?:bbox|category|text){_QUOTE}?\s*:")
_ANY_CELL = re.compile(rf"\{{\s*{_QUOTE}?(?:bbox|category|text){_QUOTE}?\s*:")
_REGULAR_CELL = re.compile(r'\{\s*"(?:bbox|category|text)"\s*:')  # cannot stand unescaped inside a valid string
_KEY = re.compile(rf"[\s,]*{_QUOTE}?(\w{{1,40}}){_QUOTE}?\s*:\s*")
_CATEGORY = re.compile(rf"{_QUOTE}?([A-Za-z][A-Za-z _-]{{0,30}})({_QUOTE}?)")
_PLAIN_VALUE = re.compile(r"[^,}\n]*")
_NUMBER = re.compile(r"-?\d{1,9}(?:\.\d{1,9})?(?![\d.])")
_LIST = re.compile(r"\[([^\]{}a-zA-Z]*)(\]?)")
_QUOTE_THAT_ENDS = re.compile(
    r'"(?=\s*(?:$|\}\s*(?:[,\]{`]|$)|\]\s*$|"(?:bbox|category|text)"\s*:|,\s*(?:"\w{1,40}"\s*:|\{)))'
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|u[0-9a-fA-F]{0,3}$|(.)|$)", re.DOTALL)
_FENCE = re.compile(r"```\w*")
_KEY_BEGUN = "|".join(key[:length] for key in _KEYS for length in range(len(key), 0, -1))
_CUT_OFF = re.compile(rf"(?:^|[{{,])\s*{_QUOTE}?(?:{_KEY_BEGUN})?{_QUOTE}?\s*$")
_BETWEEN_CELLS = ' \t\r\n,[]{}"'
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", '"': '"', "\\": "\\", "/": "/"}


@dataclass(frozen=True, slots=True)
class LayoutCell:
    """One layout element as the model writes it.

    ``bbox`` is in pixels of the image that the model sees, ``None`` if four numbers could not be read;
    ``text`` is ``None`` if there is no such key.
    """

    bbox: FloatBox | None
    category: str
    text: str | None = None


def render_cell(cell: LayoutCell) -> str:
    """``cell`` as ``json.dumps(..., ensure_ascii=False)`` spells it, keys in the published order."""
    fields: dict[str, Any] = {}
    if cell.bbox is not None:
        fields["bbox"] = list(cell.bbox)
    fields["category"] = cell.category
    if cell.text is not None:
        fields["text"] = cell.text
    return json.dumps(fields, ensure_ascii=False)


def render_cells(cells: Iterable[LayoutCell]) -> str:
    """The whole answer: a JSON list on one line."""
    return f"[{', '.join(map(render_cell, cells))}]"


def parse_cells(text: str) -> tuple[LayoutCell, ...]:
    """The cells in ``text``, in order; none if it has no key of a cell. Never raises.

    ``parse_cells(render_cells(cells)) == cells``, but for control characters that stand for LaTeX commands. From a
    cut-off answer all complete cells come back and the last one with as much of its text as there is; a repeated
    ``text`` key inside a cell is joined, not lost. If the JSON is broken, a cell that repeats box, category and text of
    an earlier one is left out.
    """
    text = text.strip()
    if not _ANY_KEY.search(text):
        return ()
    try:
        cells = list(_cells_in(json.loads(text, object_pairs_hook=_merged)))
    except (ValueError, RecursionError):
        cells = _once(_read_cells(text))
    single = writes_single_backslashes(text)
    return tuple(
        replace(cell, text=restored(cell.text, formula=cell.category == Category.FORMULA, single=single))
        if cell.text
        else cell
        for cell in cells
    )


def is_layout_beginning(text: str) -> bool:
    """Whether ``text`` is an empty answer in this format, or cut off before its first cell has any content."""
    bare = re.sub(r"\s+", "", text).removeprefix("```json")
    return bare in ("[]", "{}") or any(start.startswith(bare[: len(start)]) for start in ('[{"bbox":[', '{"bbox":['))


def _merged(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for key, value in pairs:
        if key == "text" and isinstance(merged.get(key), str) and isinstance(value, str):
            value = merged[key] if value == merged[key] else f"{merged[key]}\n{value}"
        merged[key] = value
    return merged


_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_merged)


def _cells_in(value: Any) -> Iterable[LayoutCell]:
    """Cells anywhere in parsed JSON: a list of them, or wrapped in objects such as ``{"layout": [...]}``, also inside
    each other; strings beside them."""
    if isinstance(value, str):
        yield LayoutCell(None, Category.TEXT.value, value)
    elif isinstance(value, list):
        for item in value:
            yield from _cells_in(item)
    elif isinstance(value, dict):
        is_cell = any(key in value for key in _KEYS)
        if is_cell:
            yield _cell(value)
        for key, item in value.items():
            if not is_cell or (key not in _KEYS and _ANY_KEY.search(json.dumps(item))):
                yield from _cells_in(item)


def _cell(value: dict[str, Any]) -> LayoutCell:
    text, category = value.get("text"), value.get("category")
    if isinstance(text, list) and all(isinstance(item, str) for item in text):
        text = "\n".join(text)
    elif not isinstance(text, str | None):
        text = json.dumps(text, ensure_ascii=False)
    if not text:  # another key may hold it: "content", "html", "caption"
        others = [item for key, item in value.items() if key not in _KEYS and isinstance(item, str)]
        text = "\n".join(others) or text
    return LayoutCell(_box(value.get("bbox")), category if isinstance(category, str) else Category.TEXT.value, text)


def _loose(text: str) -> Iterable[LayoutCell]:
    """Text that stands in no cell, if there is any besides punctuation and the beginning of a cell that was cut off."""
    kept = _CUT_OFF.sub("", _FENCE.sub(" ", text)).strip(_BETWEEN_CELLS)
    if any(map(str.isalnum, kept)):
        yield LayoutCell(None, Category.TEXT.value, kept)


def _once(cells: Iterable[LayoutCell]) -> list[LayoutCell]:
    """``cells`` without those that repeat the box, category and text of an earlier one."""
    cells_by_place: dict[object, LayoutCell] = {}
    for number, cell in enumerate(cells):
        cells_by_place.setdefault(number if cell.bbox is None else cell, cell)
    return list(cells_by_place.values())


def _box(value: Any) -> FloatBox | None:
    if not isinstance(value, list) or len(value) != 4:
        return None
    numbers = [number for number in value if isinstance(number, int | float) and abs(number) < 1e9]
    return (numbers[0], numbers[1], numbers[2], numbers[3]) if len(numbers) == 4 else None


def _read_cells(text: str) -> Iterable[LayoutCell]:
    at = 0
    while start := _ANY_CELL.search(text, at):
        brace = start.start()
        yield from _loose(text[at:brace])
        try:
            value, length = _DECODER.raw_decode(text[brace : _next_cell(text, brace + 1)])
            at = brace + length
            yield from _cells_in(value)
        except (ValueError, RecursionError):
            cell, at = _read_cell(text, brace + 1)
            if cell is not None:
                yield cell
    yield from _loose(text[at:])


def _next_cell(text: str, at: int) -> int:
    following = _REGULAR_CELL.search(text, at)
    return following.start() if following else len(text)


def _read_cell(text: str, at: int) -> tuple[LayoutCell | None, int]:
    """The cell whose fields begin at ``at``, and where to go on; no cell if there is nothing but a box."""
    box: FloatBox | None = None
    category: str | None = None
    words: str | None = None
    others: list[str] = []  # of other keys, which may hold the text
    while key := _KEY.match(text, at):
        at = key.end()
        if key[1] == "bbox":
            box, at = _read_box(text, at)
        elif key[1] == "category":
            category, at = _read_category(text, at)
        elif text[at : at + 1] == '"':
            value, at = _read_string(text, at + 1)
            if key[1] == "text":
                words = value if words is None or words == value else f"{words}\n{value}"
            else:
                others.append(value)
        elif key[1] == "text" and _plain(text, at, _next_cell(text, at)).strip() not in ("", "null"):
            words, at = _read_string(text, at)  # the opening quote is missing
        else:
            at += len(_plain(text, at, len(text)))
    words = words or "\n".join(others) or words
    if category is None and words is None:
        return None, at
    return LayoutCell(box, category or Category.TEXT.value, words), at


def _read_box(text: str, at: int) -> tuple[FloatBox | None, int]:
    listed = _LIST.match(text, at)
    if listed is None:
        return None, at
    numbers = [float(n) if "." in n else int(n) for n in _NUMBER.findall(listed[1])]
    if len(numbers) != 4 or not (listed[2] or listed.end() < len(text)):
        return None, listed.end()  # the last number of a cut-off box may lack digits
    return (numbers[0], numbers[1], numbers[2], numbers[3]), listed.end()


def _read_category(text: str, at: int) -> tuple[str | None, int]:
    """A category as spelt; a cut-off one only if no other begins like it."""
    match = _CATEGORY.match(text, at)
    if match is None:
        return None, at
    name = match[1].strip()
    if match[2] or match.end() < len(text) or name in list(Category):
        return name, match.end()
    candidates = [category.value for category in Category if category.value.startswith(name)]
    return (candidates[0] if len(candidates) == 1 else None), match.end()


def _plain(text: str, at: int, end: int) -> str:
    """A value that is no string."""
    match = _PLAIN_VALUE.match(text, at, end)
    return match[0] if match else ""


def _read_string(text: str, at: int) -> tuple[str, int]:
    """The string whose content begins at ``at``, and where to go on.

    It ends at a quote that can end a value, or (that quote forgotten) where the next cell or nothing begins.
    """
    limit = _next_cell(text, at)
    for quote in _QUOTE_THAT_ENDS.finditer(text, at, limit + 1):  # the next cell's brace may follow
        if not _is_escaped(text, quote.start(), at):
            return _unescaped(text[at : quote.start()]), quote.end()
    if limit < len(text):
        rest = text[at:limit].rstrip().removesuffix(",").rstrip().removesuffix("}").rstrip().removesuffix('"')
    else:
        rest = text[at:].removesuffix("```")  # of a fence around the answer
    return _unescaped(rest), limit


def _is_escaped(text: str, at: int, start: int) -> bool:
    slashes = 0
    while at - slashes > start and text[at - slashes - 1] == "\\":
        slashes += 1
    return slashes % 2 == 1


def _unescaped(raw: str) -> str:
    """JSON escapes resolved; unknown ones (unescaped LaTeX) kept, a cut-off one at the end dropped."""
    if "\\" not in raw:
        return raw
    units = _ESCAPE.sub(_unescape_one, raw)
    return units.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unescape_one(match: re.Match[str]) -> str:
    if match[1]:
        return chr(int(match[1], 16))
    if match[2]:
        return _SIMPLE.get(match[2], match[0])
    return ""
