"""Which fonts of this machine print which script."""

from __future__ import annotations

from pathlib import Path

FOLDERS = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path.home() / ".fonts")
WANTED = {
    "persian": ("NotoNaskhArabic-Regular.ttf", "DejaVuSans.ttf"),
    "arabic": ("NotoNaskhArabic-Regular.ttf", "DejaVuSans.ttf"),
    "hebrew": ("NotoSerifHebrew-Regular.ttf", "DejaVuSans.ttf"),
    "hindi": ("NotoSerifDevanagari-Regular.ttf", "FreeSerif.ttf"),
    "russian": ("NotoSerif-Regular.ttf", "DejaVuSans.ttf"),
    "greek": ("NotoSerif-Regular.ttf", "DejaVuSans.ttf"),
    "thai": ("NotoSerifThai-Regular.ttf", "Garuda.ttf"),
}
"""Font files by script, the best first; Chinese, Japanese and Korean are printed in MuPDF's own."""


def font_of(script: str) -> Path | None:
    """The font file that prints ``script`` here; ``None`` where there is none. DejaVu also comes with matplotlib."""
    return next((file for name in WANTED.get(script, ()) if (file := find(name)) is not None), None)


def find(name: str) -> Path | None:
    """A font file of that name among the machine's fonts and matplotlib's."""
    return next((file for folder in (*FOLDERS, *_matplotlib()) for file in folder.rglob(name)), None)


def _matplotlib() -> tuple[Path, ...]:
    try:
        import matplotlib
    except ImportError:
        return ()
    return (Path(matplotlib.get_data_path()) / "fonts" / "ttf",)
