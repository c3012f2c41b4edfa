"""The page view in a real browser: linked both ways, by keyboard, filtered, harmless, fast."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from PIL import Image

from docspec.core import Baseline, BBox, Block, Category, LeftOut, PageResult, PageTimings, Provenance, Span, StageStats
from docspec.core.account import PageAccount, WordRun
from docspec.core.places import PlacedWord
from docspec.core.safe_text import safe_text
from docspec.reporting.view import ViewRenderer

_spec = importlib.util.spec_from_file_location("browser", Path(__file__).parents[1] / "browser.py")
assert _spec is not None and _spec.loader is not None
browser_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(browser_module)
browser_module.needs_browser()
Watched = browser_module.Watched

FORMULA = r"E = \frac{m c^2}{\sqrt{1 - v^2}}"


@pytest.fixture(scope="module")
def browser():
    with browser_module.chromium() as found:
        yield found


def page(number: int = 1, *blocks: Block, spans=None, left=(), size=(600, 800), **more) -> PageResult:
    said = Provenance(tuple(spans or ((),) * len(blocks)), left, (1, 5, 12, 3), (("draft", 17), ("own", 4)))
    values = {
        "stage2": StageStats(1, 4, 4, 30, 17, 21, 90, 0.1, 0.3),
        "timings": PageTimings(0.1, 0.2, 0.3, 0.0, 0.4),
        "baseline": Baseline(21, 0.3, 2.0, 3.0, 2.6, True),
        "provenance": said,
        "image": Image.new("RGB", size, "white"),
        **more,
    }
    return PageResult("a.pdf", number, "ok", blocks=blocks, width=size[0], height=size[1], **values)


def write(path: Path, *pages: PageResult, source: str = "a.pdf") -> Path:
    renderer = ViewRenderer()
    parts = [renderer.begin(source, ""), *(renderer.page(one, {}) for one in pages), renderer.end()]
    path.write_text(safe_text("".join(parts)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def sample(tmp_path_factory) -> Path:
    """Two pages: one with marks, a table, a formula and something left out; one where all agrees."""
    blocks = (
        Block(Category.TITLE, "# Harbours", BBox(50, 40, 400, 80)),
        Block(Category.TEXT, "Most small harbours lose depth.", BBox(50, 100, 550, 150)),
        Block(Category.TABLE, "<table><tr><td>Kind</td><td>12</td></tr></table>", BBox(50, 200, 300, 260)),
        Block(Category.FORMULA, f"$${FORMULA}$$", BBox(50, 300, 300, 360)),
        Block(Category.PICTURE, "", BBox(50, 400, 300, 500)),
    )
    spans = (
        (Span(2, 10, "agreed"),),
        (Span(0, 4, "agreed"), Span(5, 10, "corrected", "smell"), Span(11, 19, "model"), Span(20, 31, "agreed")),
        (Span(28, 30, "corrected", "13"),),
        (),
        (),
    )
    left = (LeftOut("Annals 27", -1, BBox(50, 10, 300, 30), Category.PAGE_HEADER),)
    second = page(2, Block(Category.TEXT, "All agrees here.", BBox(50, 40, 500, 90)), spans=((Span(0, 16, "agreed"),),))
    path = tmp_path_factory.mktemp("view") / "view.html"
    return write(path, page(1, *blocks, spans=spans, left=left), second)


def test_block_and_box_are_linked_both_ways(browser, sample):
    view = Watched(browser, sample)
    view.page.hover('.block[data-block="1"] .body')
    assert view.page.locator(".box.over").evaluate_all("all => all.map(one => one.dataset.block)") == ["1"]
    view.page.hover('.box[data-block="0"]')
    assert view.page.locator(".block.over").evaluate_all("all => all.map(one => one.dataset.block)") == ["0"]
    view.page.click('.box[data-left="0"]')
    assert "Annals 27" in view.page.locator(".block.active").inner_text()
    view.page.click('.block[data-block="2"] td >> nth=0')
    assert view.page.locator(".box.active").get_attribute("data-block") == "2"
    box, image = (view.page.locator(one).bounding_box() for one in ('.box[data-block="1"]', ".paper img >> nth=0"))
    assert abs((box["x"] - image["x"]) / image["width"] - 50 / 600) < 0.01
    assert abs((box["y"] - image["y"]) / image["height"] - 100 / 800) < 0.01
    view.settled()


def test_marked_words_tell_the_drafts_reading_on_hover_focus_and_tap(browser, sample):
    view = Watched(browser, sample)
    tip = view.page.locator("#tip")
    assert not tip.is_visible()
    view.page.hover("mark.corrected >> text=small")
    assert tip.inner_text().split("\n")[-1] == "“smell”"
    view.page.hover("mark.alone")
    assert "alone" in tip.inner_text()
    view.page.mouse.move(2, 2)
    assert not tip.is_visible()
    view.page.keyboard.press("n")  # what was left out stands first
    assert "Annals" in view.page.evaluate("document.activeElement.innerText")
    view.page.keyboard.press("n")
    assert view.page.evaluate("document.activeElement.innerText") == "small"
    assert tip.is_visible()
    assert view.page.evaluate("document.activeElement.getAttribute('aria-describedby')") == "tip"
    assert view.page.locator(".box.active").get_attribute("data-block") == "1"
    view.page.keyboard.press("p")
    view.page.keyboard.press("n")
    view.page.keyboard.press("n")
    view.page.click("#next")
    assert view.page.evaluate("document.activeElement.innerText") == "12"
    view.settled()


def test_the_keyboard_alone_reaches_everything(browser, sample):
    view = Watched(browser, sample)
    reached = []
    for _ in range(12):
        view.page.keyboard.press("Tab")
        reached.append(view.page.evaluate("document.activeElement.id || document.activeElement.className"))
    for wanted in ("skip", "show-all", "show-checks", "previous", "next", "open-speed", "open-help"):
        assert wanted in reached
    assert sum("block" in one.split() for one in reached) == 1, "one block is in the order of tabs"
    view.page.locator('.block[tabindex="0"]').focus()
    seen = []
    for _ in range(6):
        view.page.keyboard.press("ArrowDown")
        seen.append(view.page.evaluate("document.activeElement.dataset.block"))
    assert seen == ["0", "1", "2", "3", "4", "0"], "and on to the next page"
    view.page.keyboard.press("s")
    assert view.page.locator("#speed").is_visible()
    view.page.keyboard.press("Escape")
    assert not view.page.locator("#speed").is_visible()
    view.page.keyboard.press("Escape")
    assert view.page.locator(".active").count() == 0
    view.settled()


def test_the_filter_shows_what_is_to_be_checked_and_says_where_there_is_nothing(browser, sample, tmp_path):
    view = Watched(browser, sample)
    assert view.page.locator("#count").inner_text() == "4"
    view.page.click("#show-checks")
    assert view.page.locator("#show-checks").get_attribute("aria-pressed") == "true"
    shown = view.page.locator(".block:visible").evaluate_all("all => all.map(one => one.dataset.block)")
    assert shown == [None, "1", "2"]
    assert not view.page.locator("#page-2").is_visible()
    view.page.keyboard.press("c")
    assert view.page.locator('.block[data-block="0"]').first.is_visible()
    view.settled()
    view = Watched(browser, write(tmp_path / "clean.html", page(1, Block(Category.TEXT, "fine"))))
    view.page.click("#show-checks")
    assert "Nothing to check" in view.page.locator("#nothing").inner_text()
    view.settled()


def test_formulas_tables_pictures_and_the_strip_are_shown(browser, sample):
    view = Watched(browser, sample)
    assert view.page.locator(".block math mfrac msqrt").count() == 1
    assert FORMULA not in view.page.locator('.block[data-block="3"]').first.inner_text()
    assert view.page.locator('.block[data-block="2"] table td').count() == 2
    view.page.wait_for_function("document.querySelector('canvas.crop').width > 200")
    names = view.page.locator(".strip button").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
    assert names == ["Page 1, 4 to check", "Page 2"]
    view.page.wait_for_selector(".strip button:first-child img")
    view.page.click(".strip button >> nth=1")
    view.page.wait_for_selector("#page-2 .paper img")
    view.settled()


def test_no_screen_is_too_narrow_and_all_text_can_be_told_from_its_ground(browser, sample):
    view = Watched(browser, sample)
    view.page.keyboard.press("s")
    for width in (1400, 768, 360):
        view.page.set_viewport_size({"width": width, "height": 800})
        assert view.page.evaluate("document.documentElement.scrollWidth") <= width
        for scheme in ("light", "dark"):
            view.page.emulate_media(color_scheme=scheme)
            assert view.page.evaluate(CONTRAST) == []
    view.settled()


def test_a_hostile_document_does_nothing(browser, tmp_path):
    from test_view import HOSTILE

    blocks = [Block(category, text, BBox(0, 0, 9, 9)) for text in HOSTILE for category in Category]
    spans = [(Span(0, 2, "corrected", text),) for text in HOSTILE for _ in Category]
    left = tuple(LeftOut(text, 0) for text in HOSTILE)
    one = page(1, *blocks, spans=spans, left=left, error=" ".join(HOSTILE))
    view = Watched(browser, write(tmp_path / "hostile.html", one, source=HOSTILE[1] + ".pdf"))
    view.page.hover(".block mark >> nth=0")
    for key in "nnnjjcs":
        view.page.keyboard.press(key)
    view.page.wait_for_function("document.querySelectorAll('.math:not(:has(math))').length < 30")
    assert view.page.evaluate("window.broken") is None
    tags = view.page.evaluate("[...document.body.children].map(one => one.tagName)")
    assert tags == ["A", "HEADER", "NAV", "MAIN", "DIALOG", "DIALOG", "DIV", "P", "SCRIPT", "SCRIPT"]
    assert view.page.locator("img:not(.paper img, .strip img), iframe, object, embed, link, base").count() == 0
    view.settled()


def test_a_page_of_ten_thousand_regions_opens(browser, tmp_path):
    many = [
        Block(Category.TEXT, f"word {n}", BBox(n % 100, n // 100, n % 100 + 1, n // 100 + 1)) for n in range(10_000)
    ]
    view = Watched(browser, write(tmp_path / "regions.html", page(1, *many, spans=[(Span(0, 4, "model"),)] * 10_000)))
    view.page.click("#next")
    view.page.wait_for_selector(".box.active")
    assert view.page.locator(".box").count() == 10_000
    view.settled()


def test_of_fifty_pages_only_those_in_sight_are_built(browser, tmp_path):
    block = Block(Category.TEXT, "Most small harbours lose depth. " * 20, BBox(50, 40, 500, 90))
    fifty = [page(number, *[block] * 12) for number in range(1, 51)]
    view = Watched(browser, write(tmp_path / "fifty.html", *fifty))
    assert view.page.locator(".paper img").count() <= 3
    view.page.locator("#page-40").evaluate("one => one.scrollIntoView()")
    view.page.wait_for_selector("#page-40 .paper img")
    assert view.page.locator(".paper img").count() <= 9
    view.settled()


CONTRAST = r"""() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (one) => one.slice(0, 3).map((v) => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, at) => sum + v * [.2126, .7152, .0722][at], 0);
  const ground = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const found = rgba(getComputedStyle(one).backgroundColor);
      if (found[3] > 250) return found;
    }
    return [255, 255, 255, 255];
  };
  const poor = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !element.checkVisibility()) continue;
    if (element.closest("script, style, .unseen")) continue;
    const style = getComputedStyle(element);
    const colour = element.closest("svg") ? style.fill : style.color;
    const [a, b] = [light(rgba(colour)), light(ground(element))].sort((x, y) => y - x);
    if ((a + .05) / (b + .05) < 4.5) poor.push([walk.currentNode.data.slice(0, 30), (a + .05) / (b + .05)]);
  }
  return poor;
}"""


def test_words_have_the_colours_of_what_became_of_them_and_missing_ones_lead_to_their_place(browser, tmp_path):
    written = WordRun("Most small harbours", BBox(50, 100, 250, 120), "written", 3, 0, 0)
    head = WordRun("Annals 27", BBox(50, 10, 300, 30), "left_out", 2, rule="running head")
    lost = WordRun("<b>1,357</b>", BBox(300, 600, 420, 620), "missing", 1)
    account = PageAccount("text layer", 3, (head, lost), places=(written,))
    block = Block(Category.TEXT, "Most small harbours", BBox(50, 100, 550, 150))
    view = Watched(browser, write(tmp_path / "view.html", page(1, block, account=account)))
    words = view.page.locator(".words")
    assert not words.is_visible()
    view.page.click("#show-words")
    assert view.page.locator(".word").evaluate_all("all => all.map(one => one.title)") == [
        "written",
        "left out on purpose: running head",
        "missing",
    ]
    colours = view.page.locator(".word").evaluate_all("all => all.map(one => getComputedStyle(one).backgroundColor)")
    assert len(set(colours)) == 3
    assert view.page.locator("#fates li").count() == 5
    view.page.keyboard.press("w")
    assert not words.is_visible()
    listed = view.page.locator(".missing button")
    assert listed.all_inner_texts() == ["<b>1,357</b>"]
    assert "1 word of the page is missing" in view.page.locator(".missing summary").inner_text()
    listed.click()
    box, image = (view.page.locator(one).bounding_box() for one in (".word.here", ".paper img >> nth=0"))
    assert abs((box["x"] - image["x"]) / image["width"] - 300 / 600) < 0.01
    assert abs((box["y"] - image["y"]) / image["height"] - 600 / 800) < 0.01
    view.settled()


def placed(text: str, *words: tuple[str, str, float, BBox]) -> tuple[PlacedWord, ...]:
    return tuple(
        PlacedWord(word, text.index(word), text.index(word) + len(word), how, certainty, (box,) if box else ())
        for word, how, certainty, box in words
    )


def test_the_word_under_the_pointer_is_marked_on_the_page_and_in_the_text(browser, tmp_path):
    text = "Most **small** harbours."
    words = placed(
        text,
        ("Most", "exact", 0.99, BBox(60, 100, 160, 130)),
        ("small", "aligned", 0.4, BBox(180, 100, 300, 130)),
        ("harbours.", "none", 0.2, None),
    )
    block = Block(Category.TEXT, text, BBox(50, 90, 550, 140), places=words)
    formula = "$$x = 7$$"
    signs = placed(
        formula, ("x", "exact", 0.95, BBox(60, 210, 90, 230)), ("7", "exact", 0.95, BBox(120, 210, 140, 230))
    )
    more = Block(Category.FORMULA, formula, BBox(50, 200, 550, 240), places=signs)
    view = Watched(browser, write(tmp_path / "view.html", page(1, block, more)))
    view.page.wait_for_selector(".paper img")

    def share(selector: str) -> list[float]:
        image = view.page.locator(".paper img").bounding_box()
        boxes = [one.bounding_box() for one in view.page.locator(selector).all()]
        return [round(600 * (box["x"] - image["x"]) / image["width"]) for box in boxes]

    view.page.hover("text=Most")
    assert share(".spot.at") == [60]
    view.page.hover("strong")
    assert share(".spot.at") == [180], "one word at a time"
    assert "40 % certain" in view.page.locator("#tip").inner_text()
    view.page.hover("text=harbours.")
    assert share(".spot.at") == [], "it stands nowhere on the page"
    image = view.page.locator(".paper img").bounding_box()
    view.page.mouse.move(image["x"] + image["width"] * 240 / 600, image["y"] + image["height"] * 115 / 800)
    assert view.page.locator(".text .at").all_inner_texts() == ["small"]
    view.page.mouse.move(image["x"] + image["width"] * 130 / 600, image["y"] + image["height"] * 220 / 800)
    assert view.page.locator(".text .at math").count() == 1
    view.page.mouse.move(2, 2)
    assert view.page.locator(".at").count() == 0
    tints = [
        view.page.locator(f".text [data-place='{n}']").evaluate("one => getComputedStyle(one).backgroundColor")
        for n in range(3)
    ]
    assert tints[0] == "rgba(0, 0, 0, 0)"
    assert len(set(tints)) == 3
    assert share(".spot:not(.at)") == [180]
    view.settled()
