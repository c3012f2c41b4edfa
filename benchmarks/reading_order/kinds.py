"""The kinds of pages: columns with notes and pictures, spans, newspapers, asides, letters, two pages on a sheet,
posters, slides."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from benchmarks.reading_order.sheet import Frame, Kind, Sheet
from docspec.documents.mupdf import mupdf

LEFT, RIGHT, TOP, BOTTOM = 50.0, 545.0, 60.0, 780.0


def columns(count: int, x0: float, x1: float, y0: float, y1: float, gap: float = 18.0) -> list[Frame]:
    """Frames beside each other."""
    width = (x1 - x0 - gap * (count - 1)) / count
    return [Frame(x0 + n * (width + gap), y0, x0 + n * (width + gap) + width, y1) for n in range(count)]


def _headed(sheet: Sheet) -> float:
    return sheet.put(Frame(LEFT, 40, RIGHT, 80), sheet.title(6), "heading", 18, sheet.bold) + 14


def in_columns(sheet: Sheet) -> None:
    """One to four columns under a title, perhaps with a note at the foot of one of them."""
    count = sheet.rng.randint(1, 4)
    sheet.size = 10.0 if count < 3 else 8.5
    frames = columns(count, LEFT, RIGHT, _headed(sheet), BOTTOM)
    noted = sheet.rng.randrange(count)
    if sheet.rng.random() < 0.7:
        _note(sheet, frames, noted)
    sheet.flow(frames, sheet.prose(40, items=True))


def _note(sheet: Sheet, frames: list[Frame], number: int) -> None:
    own, size = frames[number], sheet.size - 1.5
    text = "* " + sheet.sentence(10, 16).rstrip(".")
    y = own.y1 - (len(sheet.lines(text, own.x1 - own.x0, size, sheet.font)) + 0.5) * 1.22 * size
    sheet.page.draw_line((own.x0, y - 2), (own.x0 + 60, y - 2), width=0.5)
    sheet.put(Frame(own.x0, y, own.x1, own.y1), text, "loose", size)
    frames[number] = Frame(own.x0, own.y0, own.x1, y - 8)


def with_figures(sheet: Sheet) -> None:
    """Two or three columns with a picture and its caption at the head, in the middle or at the foot of one, or over
    two."""
    count = sheet.rng.randint(2, 3)
    sheet.size = 9.5
    frames = columns(count, LEFT, RIGHT, _headed(sheet), BOTTOM)
    first = sheet.rng.randrange(count)
    wide = first + 1 < count and sheet.rng.random() < 0.4
    own = frames[first : first + 1 + wide]
    height, top = sheet.rng.uniform(90, 190), frames[0].y0
    text = f"Figure {sheet.rng.randint(1, 9)}. {sheet.sentence()}"
    below = (len(sheet.lines(text, own[-1].x1 - own[0].x0, 8, sheet.font)) + 1.5) * 8 * 1.22
    middle = not wide and sheet.rng.random() < 0.3
    y = top + 180 if middle else top if sheet.rng.random() < 0.6 else BOTTOM - height - below
    sheet.grey(Frame(own[0].x0, y, own[-1].x1, y + height))
    sheet.put(Frame(own[0].x0, y + height + 2, own[-1].x1, BOTTOM), text, "loose", 8)
    end = y + height + below + 6
    flowing: list[Frame] = []
    for frame in frames:
        if frame not in own:
            flowing.append(frame)
            continue
        if y > top:
            flowing.append(Frame(frame.x0, top, frame.x1, y - 6))
        if end < BOTTOM - 30:
            flowing.append(Frame(frame.x0, end, frame.x1, BOTTOM))
    sheet.flow(flowing, sheet.prose(40))


def bands(sheet: Sheet) -> None:
    """Text over the whole width, columns below it, a section over the whole width below these, columns again."""
    y, rng = _headed(sheet), sheet.rng
    sheet.size = 9.5
    spans = rng.random() < 0.5
    for _ in range(4):
        if y > BOTTOM - 80:
            break
        if spans:
            units: list[tuple[Kind, str]] = sheet.prose(1) if rng.random() < 0.6 else [("heading", sheet.title(4))]
            y = sheet.flow([Frame(LEFT, y, RIGHT, BOTTOM)], units) + rng.uniform(6, 14)
        else:
            bottom = min(BOTTOM, y + rng.uniform(110, 240))
            frames = columns(rng.randint(2, 3), LEFT, RIGHT, y, bottom)
            y = sheet.flow(frames, sheet.prose(20, rng.random() < 0.7)) + rng.uniform(8, 16)
        spans = not spans


def newspaper(sheet: Sheet) -> None:
    """Stories under heads of their own, over one to three of four or five columns, in rows."""
    rng, y = sheet.rng, 50.0
    sheet.size, count = 8.0, rng.randint(4, 5)
    if rng.random() < 0.6:
        y = sheet.put(Frame(LEFT, y, RIGHT, 100), f"The {sheet.title(2)}", "loose", 26, sheet.bold) + 8
    grid = columns(count, 36, 560, 0, 0, 12)
    for row in range(2):
        bottom = 430.0 if row == 0 else 800.0
        left = count
        while left:
            wide = min(left, rng.randint(1, 3))
            wide = left if left - wide == 0 else wide
            own = grid[count - left : count - left + wide]
            sheet.story += 1
            size = 11 + 3 * wide
            under = sheet.put(Frame(own[0].x0, y, own[-1].x1, 0), sheet.title(3 + wide), "heading", size, sheet.bold)
            if wide > 1 and rng.random() < 0.4:
                sheet.page.draw_line((own[0].x0, under), (own[-1].x1, under), width=0.4)
            sheet.flow([Frame(one.x0, under + 4, one.x1, bottom) for one in own], sheet.prose(20, False))
            left -= wide
        y = bottom + 10


def asides(sheet: Sheet) -> None:
    """A column of text, or two, beside a narrow one with a text of its own in a tinted box."""
    rng, y = sheet.rng, _headed(sheet)
    sheet.size = 9.5
    wide, right = rng.uniform(110, 150), rng.random() < 0.6
    x0, x1 = (RIGHT - wide, RIGHT) if right else (LEFT, LEFT + wide)
    top = y + rng.uniform(0, 200)
    sheet.page.draw_rect((x0 - 6, top, x1 + 6, top + 300), color=None, fill=(0.93, 0.93, 0.88))
    ends = (LEFT, x0 - 20) if right else (x1 + 20, RIGHT)
    sheet.flow(columns(rng.randint(1, 2), *ends, y, BOTTOM), sheet.prose(40))
    sheet.story, sheet.size = 1, 8.5
    sheet.flow([Frame(x0, top + 8, x1, top + 290)], sheet.prose(20))


def quote_inset(sheet: Sheet) -> None:
    """Two columns with a quotation in large type between them, around which the lines are shorter."""
    y = _headed(sheet)
    sheet.size = 9.5
    left, right = columns(2, LEFT, RIGHT, y, BOTTOM)
    top, high = y + sheet.rng.uniform(120, 300), 110.0
    inset = Frame(left.x1 - 60, top + 8, right.x0 + 60, top + high - 8)
    parts = [
        Frame(left.x0, left.y0, left.x1, top),
        Frame(left.x0, top, inset.x0 - 10, top + high),
        Frame(left.x0, top + high, left.x1, BOTTOM),
        Frame(right.x0, right.y0, right.x1, top),
        Frame(inset.x1 + 10, top, right.x1, top + high),
        Frame(right.x0, top + high, right.x1, BOTTOM),
    ]
    sheet.put(inset, f'"{sheet.sentence(5, 6)}"', "loose", 13, sheet.bold)
    sheet.flow(parts, [("text", sheet.paragraph(5)) for _ in range(30)])


def letter(sheet: Sheet) -> None:
    """A sender at the upper right, an addressee at the left, a date, text, and a foot in columns."""
    rng = sheet.rng
    sheet.size, sheet.font, sheet.bold = 10.5, "helv", "hebo"
    y = 60.0
    for line in (sheet.title(2), f"{sheet.title(1)} Street {rng.randint(1, 99)}", f"{rng.randint(10000, 99999)} Port"):
        y = sheet.put(Frame(380, y, RIGHT, 0), line, "text", 9) - 3
    y = max(y, 130.0)
    for line in (
        f"Mrs {sheet.title(2)}",
        f"{sheet.title(1)} Road {rng.randint(1, 99)}",
        f"{rng.randint(100, 999)} Bay",
    ):
        y = sheet.put(Frame(LEFT + 10, y, 300, 0), line, "text") - 3
    y = sheet.put(Frame(420, y + 20, RIGHT, 0), f"{rng.randint(1, 28)} March 20{rng.randint(10, 26)}", "text")
    y = sheet.put(Frame(LEFT + 10, y + 14, RIGHT, 0), sheet.title(5), "heading", 10.5, sheet.bold)
    sheet.flow([Frame(LEFT + 10, y + 14, RIGHT - 20, 700)], sheet.prose(4, False))
    for number, frame in enumerate(columns(3, LEFT + 10, RIGHT, 760, 800)):
        sheet.put(frame, f"{sheet.title(2)} {number + 7}", "loose", 7)


def two_up(sheet: Sheet) -> None:
    """Two pages beside each other on a sheet, each of one or two columns under a heading of its own."""
    sheet.size = 8.5
    count = sheet.rng.randint(1, 2)
    for x0, x1 in ((36, 400), (442, 806)):
        y = sheet.put(Frame(x0, 36, x1, 0), sheet.title(4), "heading", 13, sheet.bold) + 8
        sheet.flow(columns(count, x0, x1, y, 550, 14), sheet.prose(30, sheet.rng.random() < 0.5))


def poster(sheet: Sheet) -> None:
    """Three or four columns of sections in tinted boxes under a title over all."""
    sheet.size = 9.0
    y = sheet.put(Frame(36, 30, 806, 0), sheet.title(8), "heading", 26, sheet.bold) + 12
    for column in columns(sheet.rng.randint(3, 4), 36, 806, y, 570, 16):
        top = y
        while top < 470:
            bottom = min(570.0, top + sheet.rng.uniform(120, 220))
            bottom = 570.0 if bottom > 490 else bottom
            sheet.page.draw_rect((column.x0, top, column.x1, bottom), color=None, fill=(0.94, 0.95, 0.98))
            sheet.story += 1
            sheet.flow([Frame(column.x0 + 6, top + 6, column.x1 - 6, bottom - 8)], sheet.prose(9, items=True))
            top = bottom + 10


def slide(sheet: Sheet) -> None:
    """A title and two columns of items, each perhaps under a heading."""
    sheet.size, sheet.font, sheet.bold = 14.0, "helv", "hebo"
    y = sheet.put(Frame(50, 40, 790, 0), sheet.title(5), "heading", 28, sheet.bold) + 20
    for frame in columns(2, 50, 790, y, 520, 40):
        sheet.story += 1
        head = [("heading", sheet.title(2))] if sheet.rng.random() < 0.7 else []
        sheet.flow([frame], [*head, *(("item", sheet.sentence(4, 7)) for _ in range(5))])  # type: ignore[list-item]
    sheet.put(Frame(50, 550, 700, 0), sheet.sentence(6, 8), "loose", 8)


KINDS: dict[str, tuple[Callable[[Sheet], None], tuple[float, float]]] = {
    "columns": (in_columns, (595, 842)),
    "figures": (with_figures, (595, 842)),
    "bands": (bands, (595, 842)),
    "newspaper": (newspaper, (595, 842)),
    "asides": (asides, (595, 842)),
    "inset": (quote_inset, (595, 842)),
    "letter": (letter, (595, 842)),
    "two-up": (two_up, (842, 595)),
    "poster": (poster, (842, 595)),
    "slide": (slide, (842, 595)),
}
"""What draws a page of each kind, and its size."""


def made(kind: str, seed: int) -> tuple[bytes, Sheet]:
    """A page of ``kind`` as a PDF file, and its sheet with the truth."""
    draw, (width, height) = KINDS[kind]
    document = mupdf().open()
    sheet = Sheet(document.new_page(width=width, height=height), Random(f"{kind} {seed}"))
    draw(sheet)
    return bytes(document.tobytes()), sheet
