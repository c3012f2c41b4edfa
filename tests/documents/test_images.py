"""Images as documents: frames, colour, transparency, orientation and size."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont, ImageOps

from benchmarks.campaign.raw import document, stream
from docspec.core import InputError, PageImage
from docspec.documents import PageFailure, open_document
from docspec.documents.view import View
from docspec.drafting.blank import is_blank


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
    seen = [(page.number, page.width, page.image.getpixel((0, 0)), page.scale, page.pdf_page) for page in pages]
    assert seen == [(1, 100, (0, 0, 0), 1.0, None), (2, 101, (1, 0, 0), 1.0, None), (3, 102, (2, 0, 0), 1.0, None)]


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


def test_an_image_of_which_nothing_is_left_fails_as_a_page(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 255, (300, 300, 3), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "cut.png")
    data = (tmp_path / "cut.png").read_bytes()
    (tmp_path / "cut.png").write_bytes(data[:60])
    with open_document(tmp_path / "cut.png") as document:
        (failure,) = document.pages()
    assert isinstance(failure, PageFailure)
    assert "cut.png, page 1: cannot be rendered" in str(failure.error)


def lettered(size: tuple[int, int] = (400, 600)) -> Image.Image:
    page = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(page)
    for top in range(20, size[1] - 30, 30):
        draw.text((20, top), f"Line at {top}: 12,345", fill="black", font=ImageFont.load_default(18))
    return page


@pytest.mark.parametrize("kind", ["jpg", "png", "cmyk.jpg"])
@pytest.mark.parametrize("share", [0.7, 0.95])
def test_of_an_image_that_is_cut_off_what_is_there_is_kept_and_said(tmp_path: Path, kind: str, share: float) -> None:
    page, path = lettered(), tmp_path / f"cut.{kind}"
    (page.convert("CMYK") if kind == "cmyk.jpg" else page).save(path)
    [whole] = pages_of(path)
    data = path.read_bytes()
    path.write_bytes(data[: int(share * len(data))])
    [cut] = pages_of(path)
    [event] = cut.events
    assert event.kind == "damaged_page" and "cut off" in event.detail
    there = int(0.9 * share * 600) - 40
    before, after = np.asarray(whole.image)[:there], np.asarray(cut.image)[:there]
    assert np.array_equal(before, after) and (np.asarray(cut.image)[-20:] == 255).all()


@pytest.mark.parametrize("kind", ["jpg", "progressive.jpg", "cmyk.jpg", "pdf"])
def test_a_jpeg_that_is_damaged_within_is_said(tmp_path: Path, kind: str) -> None:
    """Decoders draw the rest of it torn or grey, and say nothing."""
    buffer = io.BytesIO()
    page = lettered().convert("CMYK" if kind == "cmyk.jpg" else "RGB")
    page.save(buffer, "JPEG", progressive=kind == "progressive.jpg")
    data, path = buffer.getvalue(), tmp_path / f"scan.{kind}"
    middle = len(data) // 2

    def events(jpeg: bytes) -> list[str]:
        path.write_bytes(pdf_of(jpeg) if kind == "pdf" else jpeg)
        [page] = pages_of(path)
        return [event.kind for event in page.events]

    assert events(data) == []
    # Half of the data of the scan, and its end, so that nothing is cut off.
    assert events(data[:middle] + data[-2:]) == ["damaged_page"]


def pdf_of(jpeg: bytes) -> bytes:
    entries = b"/Subtype/Image/Width 400/Height 600/BitsPerComponent 8/ColorSpace/DeviceRGB/Filter/DCTDecode"
    drawn = b"q 300 0 0 400 0 0 cm /I Do Q"
    return document(drawn, resources=b"/XObject<</I 20 0 R>>", more={20: stream(jpeg, entries)})


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, 1e30])
def test_a_few_pixels_that_are_no_numbers_make_no_page_blank(tmp_path: Path, odd: float) -> None:
    values = np.asarray(lettered().convert("L")).astype(np.float32) / 255
    Image.fromarray(values).save(tmp_path / "sound.tiff")
    values[5, 5] = odd
    Image.fromarray(values).save(tmp_path / "odd.tiff")
    [sound], [page] = pages_of(tmp_path / "sound.tiff"), pages_of(tmp_path / "odd.tiff")
    assert (np.asarray(sound.image) != np.asarray(page.image)).any(axis=2).sum() <= 1


@pytest.mark.parametrize("noted", [0, 9, 99])
def test_an_orientation_that_there_is_not_turns_nothing(tmp_path: Path, noted: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = noted
    lettered().save(tmp_path / "a.jpg", exif=exif)
    [page] = pages_of(tmp_path / "a.jpg")
    assert page.image.size == (400, 600) and page.events == ()


def test_exif_that_is_damaged_costs_no_page(tmp_path: Path) -> None:
    entries = b"\x12\x01\x03\0\x01\0\0\0\x06\0\0\0" + b"\x10\x01\x02\0\xff\xff\xff\0\xff\xff\xff\xff"
    lettered().save(tmp_path / "a.jpg", exif=b"Exif\0\0II*\0\x08\0\0\0\x02\0" + entries + b"\0\0\0\0")
    [page] = pages_of(tmp_path / "a.jpg")
    assert page.image.size == (600, 400) and [event.kind for event in page.events] == ["exif_followed"]


@pytest.mark.parametrize("noted", range(2, 9))
def test_every_orientation_is_followed_as_pillow_does(tmp_path: Path, noted: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = noted
    lettered().save(tmp_path / "a.png", exif=exif)
    [page] = pages_of(tmp_path / "a.png")
    with Image.open(tmp_path / "a.png") as image:
        assert page.image.tobytes() == ImageOps.exif_transpose(image).tobytes()


@pytest.mark.parametrize("side", [12, 16, 24, 32])
def test_a_letter_that_fills_its_picture_is_no_blank_page(tmp_path: Path, side: int) -> None:
    picture = Image.new("RGB", (side, side), "white")
    ImageDraw.Draw(picture).text((0, -0.15 * side), "B", fill="black", font=ImageFont.load_default(1.1 * side))
    picture.save(tmp_path / "letter.png")
    Image.new("RGB", (side, side), "white").save(tmp_path / "blank.png")
    [letter], [blank] = pages_of(tmp_path / "letter.png"), pages_of(tmp_path / "blank.png")
    assert not is_blank(letter) and is_blank(blank)


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
    for page in pages[3:]:  # the frame that is cut off itself
        assert isinstance(page, PageFailure) or [event.kind for event in page.events] == ["damaged_page"]


def test_a_png_whose_data_are_damaged_is_no_blank_page(tmp_path: Path) -> None:
    """Pillow loads a PNG to look for EXIF behind its pixels: an error of that is one of the page."""
    sound = io.BytesIO()
    picture = Image.new("L", (640, 328), 255)
    ImageDraw.Draw(picture).text((20, 20), "Minutes of the ninth meeting", fill=0, font_size=40)
    picture.save(sound, "PNG")
    data = bytearray(sound.getvalue())
    start = data.index(b"IDAT") + 4
    data[start + 40 : start + 60] = bytes(20)
    path = tmp_path / "damaged.png"
    path.write_bytes(data)
    with open_document(path) as document:
        [page] = document.pages()
    if isinstance(page, PageFailure):
        assert "broken data" in str(page.error)
    else:
        assert [event.kind for event in page.events] == ["damaged_page"]
