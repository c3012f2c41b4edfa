"""What a client of docling-serve's routes wishes beyond formats and pages, and a word about each wish that means
nothing here: no option is ignored without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from docspec.core import UsageError
from docspec.core.choices import DrafterName
from docspec.core.languages import AUTO, languages_of
from docspec.core.safe_text import one_line, safe_text
from docspec.serve.refusal import Refusal
from docspec.serve.settings import RecogniseMode

DRAFTERS: dict[RecogniseMode, DrafterName | None] = {"auto": None, "always": "rapidocr", "never": "text-layer"}
"""The drafter that reads so; ``None``: that of the gateway's options."""

Purpose = Literal["convert", "chunk", "find"]
"""What a document is read for."""

LONGEST = 200
FORM_FEED = "\f"
"""The one control character that may stand between pages: open-webui's loader asks for it."""
MOST_WARNINGS = 50
LONGEST_QUOTE = 10_000
"""Most characters of a text that is sought."""

DONE = frozenset(
    (
        *("to_formats", "page_range", "pages", "target_type", "do_ocr", "force_ocr", "ocr_lang"),
        *("md_page_break_placeholder", "document_timeout", "image_export_mode", "from_formats", "abort_on_error"),
        *("pdf_password",),
    )
)
NOT_DONE = frozenset(
    (
        *("ocr_engine", "ocr_preset", "pdf_backend", "table_mode", "table_cell_matching", "pipeline"),
        *("do_table_structure", "include_images", "images_scale", "do_code_enrichment", "do_formula_enrichment"),
        *("do_picture_classification", "do_picture_description", "do_chart_extraction"),
        *("picture_description_area_threshold", "vlm_pipeline_model", "picture_description_local"),
        *("picture_description_api", "vlm_pipeline_model_local", "vlm_pipeline_model_api"),
        *("picture_description_preset", "picture_description_custom_config", "vlm_pipeline_preset"),
        *("layout_preset", "vlm_pipeline_custom_config", "table_structure_preset", "code_formula_preset"),
        *("layout_custom_config",),
    )
)
"""Options of docling-serve that choose among its own models and ways."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """``page_break`` stands between the pages of Markdown; ``recognise``: always, whatever text the file has, or never;
    ``seconds`` is the time for the document. ``language`` is that of its print, ``pictures``: Markdown and HTML hold
    them, or passages are shown; ``chunks``: pieces for retrieval are wanted, ``quote``: the places of this text,
    ``zipped``: an archive. ``password`` is the document's. ``warnings`` name what is not done."""

    page_break: str | None = None
    recognise: RecogniseMode = "auto"
    seconds: float | None = None
    warnings: tuple[str, ...] = ()
    language: str | None = None
    pictures: bool = False
    chunks: bool = False
    quote: str = ""
    zipped: bool = False
    password: str | None = field(default=None, repr=False)

    @property
    def whole(self) -> bool:
        """Whether the document itself is wanted, neither pieces of it nor places in it."""
        return not (self.chunks or self.quote)

    def as_object(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_object(cls, values: Mapping[str, Any]) -> Wishes:
        return cls(**{**values, "warnings": tuple(values.get("warnings", ()))})


def wishes_in(fields: Mapping[str, list[Any]], purpose: Purpose = "convert") -> Wishes:
    """The wishes in the ``fields`` of a form, a query or an object of options. Raises :class:`Refusal` (422) for a
    value that makes no sense."""
    done = DONE | {"text"} if purpose == "find" else DONE
    warnings = [f"{one_line(str(name))[:60]}: {_why(name)}" for name in fields if name not in done]
    mode = _text(fields, "image_export_mode") or "placeholder"
    if mode not in ("placeholder", "embedded"):
        warnings.append("image_export_mode: placeholder or embedded here; the places of pictures are marked")
    forced, allowed = _flag(fields, "force_ocr", False), _flag(fields, "do_ocr", True)
    language = _language(fields, warnings)
    page_break = _text(fields, "md_page_break_placeholder")
    return Wishes(
        None if not page_break else FORM_FEED.join(map(safe_text, page_break.split(FORM_FEED)))[:LONGEST],
        "always" if forced else "auto" if allowed else "never",
        _seconds(fields),
        tuple(warnings[:MOST_WARNINGS]),
        language,
        mode == "embedded",
        purpose == "chunk",
        _quote(fields) if purpose == "find" else "",
        _text(fields, "target_type") == "zip" and purpose != "find",
        _text(fields, "pdf_password"),
    )


def _quote(fields: Mapping[str, list[Any]]) -> str:
    """The text that is sought."""
    text = safe_text(_text(fields, "text") or "")
    if not any(map(str.isalnum, text)) or len(text) > LONGEST_QUOTE:
        raise Refusal(422, f"text: the words that are sought, up to {LONGEST_QUOTE:,} characters")
    return text


def _language(fields: Mapping[str, list[Any]], warnings: list[str]) -> str | None:
    """The languages in ``ocr_lang`` as docspec has them; of those that it does not know a warning."""
    given = [part for value in fields.get("ocr_lang") or () for part in str(value).replace("+", ",").split(",")]
    named = [name.strip() for name in given if name.strip() and name.strip().lower() != AUTO]
    try:
        known = languages_of("+".join(named)) if named else ()
    except UsageError as error:
        warnings.append(f"ocr_lang: {one_line(str(error))[:LONGEST]}; the script of each page is found")
        return None
    return "+".join(sorted({language.code for language in known})) or None


def _why(name: str) -> str:
    if name.startswith("chunking_") or name == "include_converted_doc":
        return "pieces are made in one way here: up to 1,200 characters below one heading of one page"
    return "has no effect here" if name in NOT_DONE else "is no option"


def _text(fields: Mapping[str, list[Any]], name: str) -> str | None:
    values = fields.get(name)
    return str(values[0]) if values and values[0] is not None else None


def _flag(fields: Mapping[str, list[Any]], name: str, default: bool) -> bool:
    said = (_text(fields, name) or str(default)).lower()
    if said not in ("true", "false", "1", "0", "yes", "no", "on", "off"):
        raise Refusal(422, f"{name}: true or false")
    return said in ("true", "1", "yes", "on")


def _seconds(fields: Mapping[str, list[Any]]) -> float | None:
    said = _text(fields, "document_timeout")
    try:
        seconds = None if said is None else float(said)
    except ValueError:
        seconds = -1.0
    if seconds is not None and not 0 < seconds < float("inf"):
        raise Refusal(422, "document_timeout: a number of seconds")
    return seconds
