"""Cheap guesses of what is on a page, to be verified by the target: see
:class:`docspec.drafting.drafter.Drafter`.

Importing this package loads no drafter; :func:`make_drafter` loads the one that is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from docspec.core import ParseOptions, UsageError
from docspec.core.plugins import load, plugins
from docspec.drafting.drafter import Drafter
from docspec.drafting.policy import DraftingPolicy
from docspec.drafting.safe import SafeDrafter

if TYPE_CHECKING:
    from docspec.drafting.recogniser import PageReader

__all__ = ["Drafter", "SafeDrafter", "build_drafter", "make_drafter"]


def make_drafter(options: ParseOptions, policy: DraftingPolicy | None = None) -> SafeDrafter:
    """The drafter that ``options.drafter`` names, checked, and wrapped so that no page fails because of it.

    ``policy`` tells ``auto`` what pays, and hears of lines as they are recognised; a drafter asked for by name drafts
    every page.

    Raises :class:`docspec.core.DrafterError` when it cannot work at all (models missing) and says what to do, and
    :class:`UsageError` when the name is unknown or ``saved`` has no ``drafts``.
    """
    drafter = build_drafter(options, policy)
    getattr(drafter, "check", lambda: None)()
    return SafeDrafter(drafter)


def build_drafter(options: ParseOptions, policy: DraftingPolicy | None = None) -> Drafter:
    """The bare drafter, unchecked; its module is imported here."""
    upright = policy is None and not options.keep_rotation  # a model that reads whole pages sees them as they are
    match options.drafter:
        case "auto":
            from docspec.drafting.auto import AutoDrafter

            return AutoDrafter(page_reader(options), policy, upright, options.straighten, options.formulas)
        case "text-layer":
            from docspec.drafting.text_layer import TextLayerDrafter

            return TextLayerDrafter(judge=True, formulas=options.formulas)
        case "rapidocr" | "tesseract":
            from docspec.drafting.rapidocr import RapidOcrDrafter

            return RapidOcrDrafter(page_reader(options), policy, upright, options.drafter, options.straighten)
        case "text-layer+rapidocr":
            from docspec.drafting.merged import MergedDrafter
            from docspec.drafting.rapidocr import RapidOcrDrafter
            from docspec.drafting.text_layer import TextLayerDrafter

            sound = TextLayerDrafter(judge=True, formulas=options.formulas)
            return MergedDrafter(sound, RapidOcrDrafter(page_reader(options), sheets=False))
        case "ppstructure":
            from docspec.drafting.ppstructure import PPStructureDrafter

            return PPStructureDrafter(options.ppstructure_models, offline=options.offline)
        case "saved":
            from docspec.drafting.saved import SavedDrafter

            assert options.drafts is not None, "the options have checked it"
            return SavedDrafter(options.drafts)
        case "none":
            from docspec.drafting.drafter import NoneDrafter

            return NoneDrafter()
    if options.drafter in plugins("drafters"):
        made: Drafter = load("drafters", options.drafter)()
        return made
    raise UsageError(f"--drafter {options.drafter}: there is no such drafter")


def page_reader(options: ParseOptions) -> PageReader:
    """What recognises pages: a recogniser for each script."""
    from docspec.drafting.by_language import ByLanguage
    from docspec.drafting.recogniser import Recogniser

    beside = options.overlaps and options.read == "page"  # the target needs processors too then
    engine = options.drafter if options.drafter in ("rapidocr", "tesseract") else None
    by_language = ByLanguage(Recogniser(share=0.5 if beside else 1.0), options.languages, engine)
    if options.languages:
        by_language.check()
    return by_language
