"""Free type families for rendering training pages, found where they are installed.

Base-14 families come with MuPDF (Nimbus, under AGPL with font exception). The rest are read at training time
from wherever the system keeps its fonts and are never distributed. Families marked unseen are for evaluation
only.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pymupdf

ROOTS = (Path("/usr/share/fonts"), Path("/usr/share/texmf/fonts/opentype"), Path("/usr/local/share/fonts"))


ENDS = ("Regular", "Bold", "Italic", "BoldItalic")
GYRE = ("regular", "bold", "italic", "bolditalic")


@dataclass(frozen=True)
class Family:
    """One family: MuPDF names or file names of regular, bold, italic and bold italic, as a pattern and what goes into
    it; `weight` is its share in sampling."""

    name: str
    kind: str  # serif, sans or mono
    pattern: str
    ends: tuple[str, str, str, str] = ENDS
    weight: float = 1.0
    unseen: bool = False

    @property
    def faces(self) -> tuple[str, ...]:
        return tuple(self.pattern.format(end) for end in self.ends)


FAMILIES = (
    Family("Nimbus Roman", "serif", "ti{}", ("ro", "bo", "it", "bi"), 9.0),
    Family("Nimbus Sans", "sans", "he{}", ("lv", "bo", "it", "bi"), 8.0),
    Family("Nimbus Mono", "mono", "co{}", ("ur", "bo", "it", "bi"), 2.5),
    Family("Nimbus Sans Narrow", "sans", "NimbusSansNarrow-{}.otf", ("Regular", "Bold", "Oblique", "BoldOblique"), 0.7),
    Family("DejaVu Serif", "serif", "DejaVuSerif{}.ttf", ("", "-Bold", "-Italic", "-BoldItalic"), 0.7),
    Family("DejaVu Sans", "sans", "DejaVuSans{}.ttf", ("", "-Bold", "-Oblique", "-BoldOblique"), 0.7),
    Family("DejaVu Mono", "mono", "DejaVuSansMono{}.ttf", ("", "-Bold", "-Oblique", "-BoldOblique"), 0.5),
    Family("Liberation Serif", "serif", "LiberationSerif-{}.ttf", weight=5.0),
    Family("Liberation Sans", "sans", "LiberationSans-{}.ttf", weight=5.0),
    Family("TeX Gyre Termes", "serif", "texgyretermes-{}.otf", GYRE, 2.0),
    Family("TeX Gyre Heros", "sans", "texgyreheros-{}.otf", GYRE),
    Family("TeX Gyre Pagella", "serif", "texgyrepagella-{}.otf", GYRE, 1.5),
    Family("TeX Gyre Schola", "serif", "texgyreschola-{}.otf", GYRE),
    Family("TeX Gyre Bonum", "serif", "texgyrebonum-{}.otf", GYRE, 0.5),
    Family("TeX Gyre Adventor", "sans", "texgyreadventor-{}.otf", GYRE, 0.3),
    Family("TeX Gyre Cursor", "mono", "texgyrecursor-{}.otf", GYRE, 0.5),
    Family("Latin Modern Roman", "serif", "lmroman10-{}.otf", GYRE, 5.0),
    Family("Latin Modern Sans", "sans", "lmsans10-{}.otf", ("regular", "bold", "oblique", "boldoblique"), 0.5),
    Family("Latin Modern Mono", "mono", "lmmono10-{}.otf", ("regular", "regular", "italic", "italic"), 1.2),
    Family("Latin Modern Mono Light", "mono", "lmmonolt10-{}.otf", ("regular", "bold", "oblique", "boldoblique"), 0.8),
    Family("Computer Modern Typewriter", "mono", "cmun{}.ttf", ("tt", "tb", "it", "tx"), 1.5),
    Family("FreeMono", "mono", "FreeMono{}.ttf", ("", "Bold", "Oblique", "BoldOblique"), 0.4),
    Family("Noto Mono", "mono", "NotoSansMono-{}.ttf", ("Regular", "Bold", "Regular", "Bold"), 0.4),
    Family("Computer Modern", "serif", "cmun{}.ttf", ("rm", "bx", "ti", "bi"), 4.0),
    Family("Computer Modern Sans", "sans", "cmun{}.ttf", ("ss", "sx", "si", "so"), 0.5),
    Family("Noto Serif", "serif", "NotoSerif-{}.ttf"),
    Family("Noto Sans", "sans", "NotoSans-{}.ttf"),
    Family("Carlito", "sans", "Carlito-{}.ttf", weight=3.0),
    Family("Caladea", "serif", "Caladea-{}.ttf", weight=2.0),
    Family("Gentium", "serif", "Gentium-{}.ttf", ("R", "R", "I", "I"), 0.7),
    Family("Charis SIL", "serif", "CharisSIL-{}.ttf", weight=0.7),
    Family("Roboto", "sans", "Roboto-{}.ttf"),
    Family("Roboto Slab", "serif", "RobotoSlab-{}.ttf", ("Regular", "Bold", "Regular", "Bold"), 0.4),
    Family("FreeSerif", "serif", "FreeSerif{}.ttf", ("", "Bold", "Italic", "BoldItalic"), 0.7),
    Family("EB Garamond", "serif", "EBGaramond12-{}.otf", ("Regular", "Bold", "Italic", "Italic")),
    Family("Hack", "mono", "Hack-{}.ttf", weight=0.4),
    Family("STIX", "serif", "STIXGeneral-{}.otf", weight=1.5),
    Family("Inter", "sans", "Inter-{}.otf", weight=0.7),
    Family("Cantarell", "sans", "Cantarell-{}.otf", ("Regular", "Bold", "Regular", "Bold"), 0.4),
    Family("Inconsolata", "mono", "Inconsolata.otf", weight=0.4),
    Family("Fira Code", "mono", "FiraCode-{}.ttf", ("Regular", "Bold", "Light", "Bold"), 0.4),
    Family("Baskervald", "serif", "BaskervaldADFStd{}.otf", ("", "-Bold", "-Italic", "-BoldItalic"), 0.5),
    Family("Universalis", "sans", "UniversalisADFStd-{}.otf", weight=0.4),
    Family(
        "Universalis Condensed",
        "sans",
        "UniversalisADFStd-{}.otf",
        ("Cond", "BoldCond", "CondItalic", "BoldCondIt"),
        0.4,
    ),
    Family("Libris", "sans", "LibrisADFStd-{}.otf", weight=0.4),
    Family("Old Standard", "serif", "OldStandard-{}.ttf", ("Regular", "Bold", "Italic", "Bold"), 0.7),
    Family("Andika", "sans", "Andika-{}.ttf", weight=0.3),
    Family("Gillius", "sans", "GilliusADF-{}.otf", weight=0.6),
    Family("Romande", "serif", "RomandeADFStd-{}.otf", ("Regular", "DemiBold", "Italic", "DemiBoldItalic"), 0.4),
    Family("Tribun", "serif", "TribunADFStd-{}.otf", weight=0.4),
    Family("Berenis", "serif", "BerenisADFPro-{}.otf", weight=0.5),
    Family("Ikarius", "serif", "IkariusADFStd-{}.otf", weight=0.3),
    Family("Verana", "sans", "VeranaSans-{}.otf", ("Regular", "Bold", "Oblique", "BoldOblique"), 0.3),
    Family("Switzera", "sans", "SwitzeraADF-{}.otf", weight=0.5),
    Family(
        "Switzera Condensed", "sans", "SwitzeraADF-{}.otf", ("Cond", "BoldCond", "CondItalic", "BoldCondItalic"), 0.5
    ),
    Family("Accanthis", "serif", "AccanthisADFStd-{}.otf", weight=0.4),
    Family("Cabin", "sans", "Cabin-{}.otf", weight=0.5),
    Family("Karla", "sans", "Karla-{}.otf", weight=0.4),
    Family("Clear Sans", "sans", "ClearSans-{}.ttf", weight=0.5),
    Family("Quattrocento", "serif", "Quattrocento-{}.otf", weight=0.3),
    Family("Goudy Bookletter", "serif", "GoudyBookletter1911{}.otf", ("", "", "", ""), 0.3),
    Family("Fanwood", "serif", "Fanwood{}.otf", ("Text", "Text", "Text-Italic", "Text-Italic"), 0.3),
    Family("Linden Hill", "serif", "LindenHill{}.otf", ("", "", "-Italic", "-Italic"), 0.3),
    Family("Beteckna", "sans", "BetecknaGS{}.ttf", ("", "-Bold", "-Italic", "-Bold"), 1.0),
    Family("GFS Didot", "serif", "GFSDidot{}.otf", ("", "Bold", "Italic", "BoldItalic"), 0.6),
    Family("GFS Neohellenic", "sans", "GFSNeohellenic{}.otf", ("", "Bold", "It", "BoldIt"), 0.3),
    Family("PT Serif", "serif", "PTF{}F.ttf", ("55", "75", "56", "76"), 0.7),
    Family("PT Sans", "sans", "PTS{}F.ttf", ("55", "75", "56", "76"), 0.7),
    Family("Oxygen", "sans", "Oxygen-Sans{}.ttf", ("", "-Bold", "", "-Bold"), 0.3),
    Family("Manrope", "sans", "Manrope-{}.ttf", ("Regular", "Bold", "Regular", "Bold"), 0.3),
    Family("Yrsa", "serif", "Yrsa-{}.ttf", weight=0.4),
    Family("Tuffy", "sans", "Tuffy{}.ttf", ("", "_Bold", "_Italic", "_Bold_Italic"), 0.4),
    Family("Cardo", "serif", "Cardo{}.ttf", ("104s", "b101", "i99", "b101"), 0.4),
    Family("Century Catalogue", "serif", "Century-Catalogue{}.ttf", ("", "", "", ""), 0.4),
    Family("B612", "sans", "B612-{}.otf", weight=0.3),
    Family("Courier Prime", "mono", "Courier Prime{}.otf", ("", " Bold", " Italic", " Bold Italic"), 0.4),
    Family("Doulos SIL", "serif", "DoulosSIL-{}.ttf", weight=0.5),
    Family("Gentium Book", "serif", "GentiumBookPlus-{}.ttf", weight=0.5),
    Family("Quicksand", "sans", "Quicksand-{}.ttf", ("Regular", "Bold", "Regular", "Bold"), 0.4),
    Family("Linux Libertine", "serif", "LinLibertine_{}.otf", ("R", "RB", "RI", "RBI"), unseen=True),
    Family("Open Sans", "sans", "OpenSans-{}.ttf", unseen=True),
    Family("Lato", "sans", "Lato-{}.ttf", unseen=True),
    Family("TeX Gyre Heros Condensed", "sans", "texgyreheroscn-{}.otf", GYRE, unseen=True),
    Family("Liberation Mono", "mono", "LiberationMono-{}.ttf", unseen=True),
    Family("Vollkorn", "serif", "Vollkorn-{}.ttf", unseen=True),
    Family("Junicode", "serif", "JunicodeTwoBeta-{}.ttf", unseen=True),
)


@dataclass(frozen=True)
class Face:
    """A family's loaded fonts; where one is missing the next simpler one stands for it."""

    family: Family
    regular: pymupdf.Font
    bold: pymupdf.Font
    italic: pymupdf.Font
    both: pymupdf.Font


@functools.lru_cache(maxsize=1)
def _installed() -> dict[str, Path]:
    return {path.name: path for root in ROOTS if root.is_dir() for path in sorted(root.rglob("*.[ot]tf"))}


def _font(name: str) -> pymupdf.Font | None:
    if name.endswith((".ttf", ".otf")):
        path = _installed().get(name)
        return pymupdf.Font(fontfile=str(path)) if path else None
    return pymupdf.Font(name)


@functools.lru_cache(maxsize=2)
def faces(unseen: bool = False) -> Sequence[Face]:
    """The installed faces for training, or the held-out ones. The base-14 families are always there for
    training."""
    loaded = []
    for family in FAMILIES:
        regular, bold, italic, both = (_font(name) for name in family.faces)
        if family.unseen == unseen and regular:
            bold, italic = bold or regular, italic or regular
            loaded.append(Face(family, regular, bold, italic, both or bold))
    return tuple(loaded)
