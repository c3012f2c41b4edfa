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


@dataclass(frozen=True)
class Family:
    """One family: regular, bold, italic as MuPDF names or file names; `weight` is its share in sampling."""

    name: str
    kind: str  # serif, sans or mono
    faces: tuple[str, str, str]
    weight: float = 1.0
    unseen: bool = False


FAMILIES = (
    Family("Nimbus Roman", "serif", ("tiro", "tibo", "tiit"), 26.0),
    Family("Nimbus Sans", "sans", ("helv", "hebo", "heit"), 22.0),
    Family("Nimbus Mono", "mono", ("cour", "cobo", "coit"), 7.0),
    Family("DejaVu Serif", "serif", ("DejaVuSerif.ttf", "DejaVuSerif-Bold.ttf", "DejaVuSerif.ttf"), 0.7),
    Family("DejaVu Sans", "sans", ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSans.ttf")),
    Family(
        "DejaVu Mono", "mono", ("DejaVuSansMono.ttf", "DejaVuSansMono-Bold.ttf", "DejaVuSansMono.ttf"), 0.5
    ),
    Family(
        "Liberation Serif",
        "serif",
        ("LiberationSerif-Regular.ttf", "LiberationSerif-Bold.ttf", "LiberationSerif-Italic.ttf"),
        2.0,
    ),
    Family(
        "Liberation Sans",
        "sans",
        ("LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf", "LiberationSans-Italic.ttf"),
        2.0,
    ),
    Family(
        "TeX Gyre Pagella",
        "serif",
        ("texgyrepagella-regular.otf", "texgyrepagella-bold.otf", "texgyrepagella-italic.otf"),
    ),
    Family(
        "TeX Gyre Schola",
        "serif",
        ("texgyreschola-regular.otf", "texgyreschola-bold.otf", "texgyreschola-italic.otf"),
    ),
    Family(
        "TeX Gyre Bonum",
        "serif",
        ("texgyrebonum-regular.otf", "texgyrebonum-bold.otf", "texgyrebonum-italic.otf"),
        0.5,
    ),
    Family("TeX Gyre Adventor", "sans", ("texgyreadventor-regular.otf", "texgyreadventor-bold.otf", ""), 0.3),
    Family(
        "Latin Modern Roman",
        "serif",
        ("lmroman10-regular.otf", "lmroman10-bold.otf", "lmroman10-italic.otf"),
        1.5,
    ),
    Family("Noto Serif", "serif", ("NotoSerif-Regular.ttf", "NotoSerif-Bold.ttf", "NotoSerif-Italic.ttf")),
    Family("Noto Sans", "sans", ("NotoSans-Regular.ttf", "NotoSans-Bold.ttf", "NotoSans-Italic.ttf")),
    Family("Carlito", "sans", ("Carlito-Regular.ttf", "Carlito-Bold.ttf", "Carlito-Italic.ttf")),
    Family("Caladea", "serif", ("Caladea-Regular.ttf", "Caladea-Bold.ttf", "Caladea-Italic.ttf")),
    Family("Gentium", "serif", ("Gentium-R.ttf", "Gentium-R.ttf", "Gentium-I.ttf"), 0.7),
    Family("Roboto", "sans", ("Roboto-Regular.ttf", "Roboto-Bold.ttf", "Roboto-Italic.ttf")),
    Family("FreeSerif", "serif", ("FreeSerif.ttf", "FreeSerifBold.ttf", "FreeSerifItalic.ttf"), 0.7),
    Family(
        "EB Garamond",
        "serif",
        ("EBGaramond12-Regular.otf", "EBGaramond12-Bold.otf", "EBGaramond12-Italic.otf"),
        0.5,
    ),
    Family("Hack", "mono", ("Hack-Regular.ttf", "Hack-Bold.ttf", "Hack-Italic.ttf"), 0.4),
    Family(
        "Linux Libertine",
        "serif",
        ("LinLibertine_R.otf", "LinLibertine_RB.otf", "LinLibertine_RI.otf"),
        unseen=True,
    ),
    Family(
        "Open Sans", "sans", ("OpenSans-Regular.ttf", "OpenSans-Bold.ttf", "OpenSans-Italic.ttf"), unseen=True
    ),
    Family("Lato", "sans", ("Lato-Regular.ttf", "Lato-Bold.ttf", "Lato-Italic.ttf"), unseen=True),
    Family(
        "TeX Gyre Chorus/Heros",
        "sans",
        ("texgyreheroscn-regular.otf", "texgyreheroscn-bold.otf", "texgyreheroscn-italic.otf"),
        unseen=True,
    ),
    Family(
        "Liberation Mono",
        "mono",
        ("LiberationMono-Regular.ttf", "LiberationMono-Bold.ttf", "LiberationMono-Italic.ttf"),
        unseen=True,
    ),
)


@dataclass(frozen=True)
class Face:
    """A family's three loaded fonts."""

    family: Family
    regular: pymupdf.Font
    bold: pymupdf.Font
    italic: pymupdf.Font


@functools.lru_cache(maxsize=1)
def _installed() -> dict[str, Path]:
    return {path.name: path for root in ROOTS if root.is_dir() for path in sorted(root.rglob("*.[ot]tf"))}


def _font(name: str) -> pymupdf.Font | None:
    if name.endswith((".ttf", ".otf")):
        path = _installed().get(name)
        return pymupdf.Font(fontfile=str(path)) if path else None
    return pymupdf.Font(name) if name else None


@functools.lru_cache(maxsize=2)
def faces(unseen: bool = False) -> Sequence[Face]:
    """The installed faces for training, or the held-out ones. The base-14 families are always there for
    training."""
    loaded = []
    for family in FAMILIES:
        if family.unseen == unseen and (regular := _font(family.faces[0])):
            loaded.append(
                Face(family, regular, _font(family.faces[1]) or regular, _font(family.faces[2]) or regular)
            )
    return tuple(loaded)
