"""The sample pages: complete, small, of the documented geometry, true to their text, made again at will."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pymupdf
import pytest

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "samples"
PDFS = sorted(SAMPLES.glob("*.pdf"))
SCANS = [pdf for pdf in PDFS if pdf.stem.endswith("-scan")]
BORN_DIGITAL = [pdf for pdf in PDFS if pdf not in SCANS and pdf.stem != "mixed"]
KINDS = {
    "slides",
    "academic-paper",
    "book",
    "textbook",
    "exam-paper",
    "magazine",
    "newspaper",
    "notes",
    "financial-report",
}
LARGE = "journal-article"
PORTRAIT, LANDSCAPE, A4 = (704, 960), (960, 704), (1654, 2339)


def truth_of(pdf: Path) -> str:
    return (SAMPLES / f"{pdf.stem.removesuffix('-scan')}.md").read_text(encoding="utf-8")


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def truth_words(markdown: str) -> list[str]:
    """Words of the truth without formulas, comments and the marks of Markdown."""
    bare = re.sub(r"\$\$.*?\$\$|\$.*?\$|<!--.*?-->", " ", markdown)
    return words(bare)


def printed_words(page: pymupdf.Page) -> list[str]:
    return words(page.get_text().replace("-\n", ""))


def missing_word(wanted: list[str], printed: list[str]) -> str | None:
    """The first wanted word that does not follow its predecessors in print."""
    rest = iter(printed)
    return next((word for word in wanted if word not in rest), None)


def pixels(page: pymupdf.Page) -> np.ndarray:
    image = page.get_pixmap(dpi=200, colorspace=pymupdf.csGRAY)
    return np.frombuffer(image.samples, dtype=np.uint8).reshape(image.height, image.width).astype(np.float64)


@pytest.fixture(scope="module")
def made_again(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples")
    subprocess.run([sys.executable, "-m", "samples.make", "--out", str(folder)], cwd=ROOT, check=True)
    return folder


def test_every_kind_has_a_page_a_scan_and_a_truth() -> None:
    assert {pdf.stem for pdf in BORN_DIGITAL} == KINDS | {LARGE}
    assert {pdf.stem.removesuffix("-scan") for pdf in SCANS} == KINDS
    assert {md.stem for md in SAMPLES.glob("*.md")} == KINDS | {LARGE, "mixed", "README"}


@pytest.mark.parametrize("pdf", BORN_DIGITAL + SCANS, ids=lambda pdf: pdf.stem)
def test_one_page_of_the_documented_size(pdf: Path) -> None:
    with pymupdf.open(pdf) as doc:
        assert doc.page_count == 1
        image = doc[0].get_pixmap(dpi=200)
    expected = A4 if pdf.stem == LARGE else LANDSCAPE if pdf.stem.startswith("slides") else PORTRAIT
    assert (image.width, image.height) == expected


@pytest.mark.parametrize("pdf", BORN_DIGITAL, ids=lambda pdf: pdf.stem)
def test_text_layer_holds_the_truth_in_order(pdf: Path) -> None:
    with pymupdf.open(pdf) as doc:
        printed = printed_words(doc[0])
    wanted = truth_words(truth_of(pdf))
    assert len(wanted) > 50
    assert missing_word(wanted, printed) is None
    assert missing_word([*wanted, "nowhere"], printed) == "nowhere"


@pytest.mark.parametrize("pdf", SCANS, ids=lambda pdf: pdf.stem)
def test_scan_is_one_image_without_a_text_layer(pdf: Path) -> None:
    with pymupdf.open(pdf) as doc:
        page = doc[0]
        assert page.get_text().strip() == ""
        assert page.get_fonts() == []
        (image,) = page.get_images()
        assert doc.extract_image(image[0])["ext"] == "jpeg"
        born = pymupdf.open(pdf.with_name(pdf.name.replace("-scan", "")))
        difference = np.abs(pixels(page) - pixels(born[0])).mean()
    assert 5 < difference < 60


def test_mixed_has_a_scan_a_turned_page_and_a_blank_one() -> None:
    parts = re.split(r"<!-- page (\d+) -->", (SAMPLES / "mixed.md").read_text(encoding="utf-8"))
    truths = dict(zip(map(int, parts[1::2]), parts[2::2], strict=True))
    with pymupdf.open(SAMPLES / "mixed.pdf") as doc:
        assert list(truths) == list(range(1, doc.page_count + 1))
        assert [page.number + 1 for page in doc if page.rotation == 90] == [4]
        blank = [page.number + 1 for page in doc if pixels(page).min() == 255]
        scans = [page.number + 1 for page in doc if page.get_images()]
        assert (scans, blank) == ([3], [5])
        for page in doc:
            if page.number + 1 not in scans:
                assert missing_word(truth_words(truths[page.number + 1]), printed_words(page)) is None
    assert truths[5].strip() == ""


def test_truth_follows_its_conventions() -> None:
    for pdf in BORN_DIGITAL:
        truth = truth_of(pdf)
        assert len(re.findall(r"^# ", truth, flags=re.MULTILINE)) == 1
        assert truth.endswith("\n") and "\n\n\n" not in truth and "\u00ad" not in truth
        assert not re.search(r"</?[bi]>| $", truth, flags=re.MULTILINE)


def test_newspaper_divides_words_that_the_truth_joins() -> None:
    with pymupdf.open(SAMPLES / "newspaper.pdf") as doc:
        divided = re.findall(r"(\w+)-\n(\w+)", doc[0].get_text())
    assert 2 <= len(divided) <= 4
    assert {head + tail for head, tail in divided} <= set(words(truth_of(SAMPLES / "newspaper.pdf")))


def test_files_are_small() -> None:
    sizes = {path: path.stat().st_size for path in SAMPLES.rglob("*") if "__pycache__" not in path.parts}
    assert all(sizes[pdf] < 30_000 for pdf in BORN_DIGITAL)
    assert all(sizes[pdf] < 150_000 for pdf in SCANS)
    assert sum(sizes.values()) < 2_000_000


def test_making_them_again_gives_the_same_samples(made_again: Path) -> None:
    made = {path.name for path in made_again.iterdir()}
    assert made == {path.name for path in [*PDFS, *SAMPLES.glob("*.md")]} - {"README.md"}
    for name in sorted(made):
        old, new = SAMPLES / name, made_again / name
        if old.read_bytes() != new.read_bytes():
            assert name.endswith(".pdf"), name
            assert_same_to_the_eye(old, new)


def assert_same_to_the_eye(old: Path, new: Path) -> None:
    """Another release of the libraries may write other bytes, but neither other text nor other pixels."""
    with pymupdf.open(old) as before, pymupdf.open(new) as after:
        for one, other in zip(before, after, strict=True):
            assert one.get_text() == other.get_text(), old.name
            assert np.abs(pixels(one) - pixels(other)).mean() < 2.0, old.name


def test_what_does_not_fit_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    from samples.press.blocks import Block, Formula, Frame, Para, Sheet, Zone, roles
    from samples.press.canvas import LayoutError
    from samples.press.flow import print_sheet

    def sheet(*zones: tuple[Frame, Block]) -> Sheet:
        return Sheet(tuple(Zone((frame,), (block,), roles("serif")) for frame, block in zones))

    frame = Frame(20, 200, 2, 3)
    print_sheet(sheet((frame, Para("Short enough."))))
    for bad, message in (
        (sheet((frame, Para("long " * 100))), "rows too many"),
        (sheet((frame, Para("x" * 100))), "wider"),
        (sheet((frame, Para("One.")), (frame, Para("Two."))), "overlaps"),
        (sheet((Frame(20, 300, 2, 3), Para("word " * 60))), "off the page"),
        (sheet((frame, Formula(r"\oddity x"))), "not known"),
    ):
        with pytest.raises(LayoutError, match=message):
            print_sheet(bad)
