"""Images as documents: frames, colour, transparency, orientation and size."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from docspec.core import InputError, PageImage
from docspec.documents import PageFailure, open_document
from docspec.documents.view import View


def pages_of(path: Path) -> list[PageImage]:
    with open_document(path) as document:
        pages = list(document.pages())
        assert document.page_count == len(pages)
    assert all(isinstance(page, PageImage) for page in pages)
    return pages  # type: ignore[return-value]


def corner(path: Path) -> tuple[int, ...]:
    (page,) = pages_of(path)
    assert page.image.mode == "RGB"
    pixel = page.image.getpixel((0, 0))
    assert isinstance(pixel, tuple)
    return pixel


def test_every_frame_of_a_tiff_is_a_page(tmp_path: Path) -> None:
    frames = [Image.new("RGB", (100 + n, 120), (n, 0, 0)) for n in range(3)]
    frames[0].save(tmp_path / "a.tiff", save_all=True, append_images=frames[1:])
    pages = pages_of(tmp_path / "a.tiff")
    seen = [
        (page.number, page.width, page.image.getpixel((0, 0)), page.scale, page.pdf_page) for page in pages
    ]
    assert seen == [
        (1, 100, (0, 0, 0), 1.0, None),
        (2, 101, (1, 0, 0), 1.0, None),
        (3, 102, (2, 0, 0), 1.0, None),
    ]


def test_an_animation_is_one_page(tmp_path: Path) -> None:
    frames = [Image.new("RGB", (90, 90), color) for color in ("red", "blue")]
    frames[0].save(tmp_path / "a.webp", save_all=True, append_images=frames[1:], lossless=True)
    assert corner(tmp_path / "a.webp") == (255, 0, 0)


def test_transparency_is_seen_on_white_paper(tmp_path: Path) -> None:
    Image.new("RGBA", (80, 80), (255, 0, 0, 0)).save(tmp_path / "clear.png")
    assert corner(tmp_path / "clear.png") == (255, 255, 255)
    palette = Image.new("P", (80, 80), 0)
    palette.putpalette([10, 20, 30])
    palette.save(tmp_path / "keyed.png", transparency=0)
    assert corner(tmp_path / "keyed.png") == (255, 255, 255)


def test_colour_modes_become_rgb(tmp_path: Path) -> None:
    Image.new("CMYK", (80, 80), (0, 255, 255, 0)).save(tmp_path / "cmyk.tiff")
    red = corner(tmp_path / "cmyk.tiff")
    assert red[0] > 200 and max(red[1:]) < 60
    Image.new("1", (80, 80), 1).save(tmp_path / "bits.png")
    assert corner(tmp_path / "bits.png") == (255, 255, 255)
    Image.fromarray(np.full((80, 80), 0x8000, np.uint16)).save(tmp_path / "deep.png")
    assert corner(tmp_path / "deep.png") == (127, 127, 127)
    Image.fromarray(np.full((80, 80), 0.5, np.float32)).save(tmp_path / "float.tiff")
    assert corner(tmp_path / "float.tiff") == (127, 127, 127)


def test_exif_orientation_is_applied(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # turn 90 degrees clockwise to see it upright
    Image.new("RGB", (200, 100)).save(tmp_path / "phone.jpg", exif=exif)
    (page,) = pages_of(tmp_path / "phone.jpg")
    assert (page.image.size, [event.kind for event in page.events]) == ((100, 200), ["exif_followed"])
    with open_document(tmp_path / "phone.jpg") as document:
        as_stored = next(document.pages(view=View(exif=False)))
    assert isinstance(as_stored, PageImage)
    assert (as_stored.image.size, as_stored.events) == ((200, 100), ())


@pytest.mark.parametrize("name", ["huge.png", "huge.jpg"])
def test_huge_images_are_scaled_down_unless_turned_off(tmp_path: Path, name: str) -> None:
    Image.new("L", (660, 440), "white").save(tmp_path / name)
    assert View().max_pixels == 25_000_000
    with open_document(tmp_path / name) as document:
        small = next(document.pages(view=View(max_pixels=250_000)))
        whole = next(document.pages(view=View(max_pixels=None)))
    assert isinstance(small, PageImage)
    assert 120_000 < small.width * small.height <= 250_000
    assert small.width / small.height == pytest.approx(1.5, rel=0.01)
    assert [event.kind for event in small.events] == ["page_reduced"]
    assert isinstance(whole, PageImage)
    assert (whole.image.size, whole.events) == ((660, 440), ())


def test_small_images_are_used_as_they_are_but_never_too_elongated(tmp_path: Path) -> None:
    Image.new("RGB", (300, 200)).save(tmp_path / "small.png")
    assert pages_of(tmp_path / "small.png")[0].image.size == (300, 200)
    for size in ((20, 20), (3, 500)):  # image processors enlarge these in their own way
        Image.new("RGB", size).save(tmp_path / "small.png")
        (page,) = pages_of(tmp_path / "small.png")
        assert (page.image.size, page.events) == (size, ())
    Image.new("RGB", (1, 500)).save(tmp_path / "thin.png")
    (page,) = pages_of(tmp_path / "thin.png")
    assert page.image.size == (3, 500)
    assert [page.image.getpixel((x, 0)) for x in (0, 2)] == [(0, 0, 0), (255, 255, 255)]
    assert [event.kind for event in page.events] == ["page_padded"]


def test_a_damaged_image_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "bad.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 40)
    with pytest.raises(InputError, match="damaged"):
        open_document(tmp_path / "bad.png")


def test_a_cut_off_image_fails_as_a_page(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 255, (300, 300, 3), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "cut.png")
    data = (tmp_path / "cut.png").read_bytes()
    (tmp_path / "cut.png").write_bytes(data[: len(data) // 2])
    with open_document(tmp_path / "cut.png") as document:
        (failure,) = document.pages()
    assert isinstance(failure, PageFailure)
    assert "cut.png, page 1: cannot be rendered" in str(failure.error)


def test_of_a_truncated_tiff_the_pages_that_are_there_are_kept(tmp_path: Path) -> None:
    frames = [Image.effect_noise((120, 100), 60 + n) for n in range(5)]
    path = tmp_path / "scan.tiff"
    frames[0].save(path, save_all=True, append_images=frames[1:])
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * 0.7)])
    with open_document(path) as document:
        pages = list(document.pages())
        assert document.damage is not None
        assert "the TIFF is damaged after" in document.damage
    assert [isinstance(page, PageImage) for page in pages[:3]] == [True] * 3
    assert all(isinstance(page, PageFailure) for page in pages[3:]), "the frame that is cut off itself"
