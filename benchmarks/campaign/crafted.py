"""A hundred PDFs that are wrong on purpose: trees that lie, streams that unfold, references that lead nowhere."""

from __future__ import annotations

import zlib

from benchmarks.campaign.raw import document, pdf, stream, text

GOOD = text("A sound line of text", "and a second one")
PATTERN = b"/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 1 1]"
FORM = b"/Type/XObject/Subtype/Form/BBox[0 0 300 400]"


def crafted() -> dict[str, bytes]:
    """The files by name."""
    found = {**_trees(), **_streams(), **_references(), **_bombs(), **_pages(), **_texts(), **_pictures(), **_files()}
    found["nothing wrong"] = document(GOOD, GOOD)
    return found


def _trees() -> dict[str, bytes]:
    kids = b"10 0 R 12 0 R 14 0 R"
    trees = {
        f"count {count!r}": b"<</Type/Pages/Kids[%b]/Count %b>>" % (kids, count)
        for count in (
            b"0",
            b"1",
            b"2",
            b"4",
            b"-1",
            b"2147483647",
            b"99999999999",
            b"(three)",
            b"1.5",
            b"null",
            b"2 0 R",
        )
    }
    trees |= {
        "no count": b"<</Type/Pages/Kids[%b]>>" % kids,
        "kid missing": b"<</Type/Pages/Kids[10 0 R 99 0 R 12 0 R]/Count 3>>",
        "kid null": b"<</Type/Pages/Kids[10 0 R null 12 0 R]/Count 3>>",
        "kid is a number": b"<</Type/Pages/Kids[10 0 R 7 12 0 R]/Count 3>>",
        "kid is the root": b"<</Type/Pages/Kids[10 0 R 2 0 R 12 0 R]/Count 3>>",
        "kid is a stream": b"<</Type/Pages/Kids[10 0 R 11 0 R 12 0 R]/Count 3>>",
        "kid twice": b"<</Type/Pages/Kids[10 0 R 10 0 R 12 0 R]/Count 3>>",
        "kids are no array": b"<</Type/Pages/Kids 10 0 R/Count 3>>",
        "tree is a number": b"42",
    }
    made = {f"tree: {name}": document(GOOD, GOOD, GOOD, tree=tree) for name, tree in trees.items()}
    branch = b"<</Type/Pages/Parent 2 0 R/Kids[%b]/Count 9>>"
    wild = {30 + n: branch % (b"%d 0 R " % (31 + n) * 40) for n in range(9)} | {39: branch % b"10 0 R"}
    made["tree: branches wildly"] = document(GOOD, tree=branch % b"30 0 R", more=wild)
    deep = {30 + n: branch % (b"%d 0 R" % (31 + n)) for n in range(3000)} | {3030: branch % b"10 0 R"}
    made["tree: very deep"] = document(GOOD, tree=branch % b"30 0 R", more=deep)
    return made


def _streams() -> dict[str, bytes]:
    packed = zlib.compress(text(*(f"Line {number} of the text" for number in range(40))))
    raw = b"<</Filter%b/Length %d>>\nstream\n%b\nendstream"
    bodies = {
        "broken flate": (b"/FlateDecode", packed[:40] + b"\xff\xff\xff" + packed[43:]),
        "cut flate": (b"/FlateDecode", packed[: len(packed) // 2]),
        "no flate": (b"/FlateDecode", b"not flate at all"),
        "empty flate": (b"/FlateDecode", b""),
        "unknown filter": (b"/Nonsense", GOOD),
        "broken lzw": (b"/LZWDecode", b"\x80\x0b\x60\xff\xff\xff\xff"),
        "broken ascii85": (b"/ASCII85Decode", b"zzz}}}{{{~>"),
        "broken hex": (b"/ASCIIHexDecode", b"41 zz 4"),
        "many filters": (b"[" + b"/FlateDecode" * 500 + b"]", packed),
        "filter is a number": (b" 17", GOOD),
        "image filter": (b"/DCTDecode", b"\xff\xd8\xff\xe0 no picture"),
    }
    made = {f"stream: {name}": document(raw % (filters, len(data), data)) for name, (filters, data) in bodies.items()}
    faults = {
        "unclosed text": b"BT /F 12 Tf 40 300 Td (never closed",
        "unknown words": GOOD + b" foo bar ] >> baz",
        "unbalanced": b"Q Q Q " + GOOD + b"Q" * 5000,
        "deep stack": b"q " * 200_000 + GOOD,
        "deep arrays": GOOD + b"[" * 100_000,
        "deep dictionaries": GOOD + b"/A " + b"<</A " * 50_000,
        "binary": bytes(range(256)) * 400,
        "numbers": GOOD + b" 1e999 -99999999999999999999 .. -- +-1 0.0.0 re f",
        "inline image": GOOD + b" BI /W 99999 /H 99999 /BPC 8 /CS /RGB ID xx EI",
    }
    made |= {f"contents: {name}": document(contents) for name, contents in faults.items()}
    made["stream: length wrong"] = document(GOOD).replace(b"/Length ", b"/Length 9")
    made["stream: length is itself"] = document(b"<</Length 11 0 R>>\nstream\n%b\nendstream" % GOOD)
    return made


def _references() -> dict[str, bytes]:
    circle = {
        20: b"<</Subtype/Widget/FT/Tx/T(a)/Rect[9 9 90 40]/Parent 21 0 R/Kids[21 0 R]>>",
        21: b"<</T(b)/Parent 20 0 R/Kids[20 0 R]>>",
    }
    return {
        "reference: contents missing": document(GOOD, page=b"/Contents 77 0 R"),
        "reference: part of the contents missing": document(GOOD, page=b"/Contents[11 0 R 77 0 R]"),
        "reference: annotation missing": document(GOOD, page=b"/Annots[99 0 R]"),
        "reference: annotations are a number": document(GOOD, page=b"/Annots 5"),
        "reference: form missing": document(GOOD + b"/X Do", resources=b"/XObject<</X 98 0 R>>"),
        "reference: far out of range": document(GOOD, page=b"/Annots[8388607 0 R 99999999 0 R]"),
        "reference: to itself": document(GOOD, more={20: b"20 0 R"}, page=b"/Annots 20 0 R"),
        "reference: resources circular": document(GOOD, page=b"/Resources 20 0 R", more={20: b"<</Font 20 0 R>>"}),
        "reference: widgets circular": document(
            GOOD, page=b"/Annots[20 0 R]", catalog=b"/AcroForm<</Fields[20 0 R]>>", more=circle
        ),
        "reference: parents circular": document(GOOD, page=b"/Parent 10 0 R"),
        "reference: outline circular": document(
            GOOD, catalog=b"/Outlines 20 0 R", more={20: b"<</First 20 0 R/Next 20 0 R/Parent 20 0 R>>"}
        ),
        "reference: many widgets": document(
            GOOD,
            page=b"/Annots[%b]" % b" ".join(b"%d 0 R" % n for n in range(100, 5100)),
            catalog=b"/AcroForm<</Fields[100 0 R]>>",
            more={n: b"<</Subtype/Widget/FT/Tx/T(a%d)/V(x)/Rect[9 9 90 40]>>" % n for n in range(100, 5100)},
        ),
    }


def _bombs() -> dict[str, bytes]:
    def forms(levels: int, times: int, entries: bytes = b"") -> bytes:
        more = {}
        for level in range(levels):
            inner = b"/X Do " * times if level < levels - 1 else GOOD
            resources = b"/Resources<</XObject<</X %d 0 R>>/Font<</F 3 0 R>>>>" % (21 + level)
            more[20 + level] = stream(inner, FORM + resources + entries)
        return document(b"/X Do", resources=b"/XObject<</X 20 0 R>>", more=more)

    lines = b"".join(b"%d %d m %d %d l S\n" % (i % 300, i * 7 % 400, i * 13 % 300, i * 3 % 400) for i in range(300_000))
    path = b"0 0 m " + b"".join(b"%d %d l\n" % (i * 7919 % 300, i * 104_729 % 400) for i in range(500_000)) + b"S"
    tile = stream(b"0 0 1 1 re f", PATTERN + b"/XStep .001/YStep .001")
    twice = zlib.compress(zlib.compress(bytes(300_000_000), 9), 9)
    glyph = stream(b"1000 0 d0 BT /F 12 Tf (a) Tj ET")
    type3 = (
        b"<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[.1 0 0 .1 0 0]/FirstChar 97/LastChar 97/Widths[9]"
        b"/Encoding<</Differences[97/a]>>/CharProcs<</a 20 0 R>>/Resources<</Font<</F 3 0 R>>>>>>"
    )
    return {
        "bomb: forms that unfold": forms(12, 10),
        "bomb: forms very deep": forms(400, 1),
        "bomb: forms circular": document(
            b"/X Do",
            resources=b"/XObject<</X 20 0 R>>",
            more={20: stream(b"/X Do", FORM + b"/Resources 21 0 R"), 21: b"<</XObject<</X 20 0 R>>>>"},
        ),
        "bomb: groups in groups": forms(20, 1, b"/Group<</S/Transparency/I true>>"),
        "bomb: 200 MB of blanks": document(stream(b" " * 200_000_000, flate=True)),
        "bomb: packed twice": document(
            b"<</Filter[/FlateDecode/FlateDecode]/Length %d>>\nstream\n%b\nendstream" % (len(twice), twice)
        ),
        "bomb: 90 MB of text": document(
            stream(b"BT /F 9 Tf 9 9 Td " + b"(%b) Tj " % (b"x" * 1000) * 90_000 + b"ET", flate=True)
        ),
        "bomb: 300,000 strokes": document(stream(lines, flate=True)),
        "bomb: one path of 500,000 points": document(stream(path, flate=True)),
        "bomb: a tiny pattern": document(
            b"/Pattern cs /P scn 0 0 300 400 re f", resources=b"/Pattern<</P 20 0 R>>", more={20: tile}
        ),
        "bomb: glyphs of glyphs": document(GOOD, more={3: type3, 20: glyph}),
        "bomb: dashes": document(b"[.0001 .0001] 0 d 0 0 m 300 400 l S"),
        "bomb: many small images": document(
            b"/I Do " * 100_000,
            resources=b"/XObject<</I 20 0 R>>",
            more={20: stream(b"\0", b"/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray")},
        ),
    }


def _pages() -> dict[str, bytes]:
    entries = {
        "unit 0": b"/UserUnit 0",
        "unit negative": b"/UserUnit -2",
        "unit huge": b"/UserUnit 1e30",
        "box empty": b"/MediaBox[0 0 0 0]",
        "box not finite": b"/MediaBox[0 0 nan inf]",
        "box huge": b"/MediaBox[0 0 1e9 1e9]",
        "box tiny": b"/MediaBox[0 0 .001 .001]",
        "box thin": b"/MediaBox[0 0 1 14400]",
        "box turned": b"/MediaBox[300 400 0 0]",
        "box far away": b"/MediaBox[1e8 1e8 100000300 100000400]",
        "box is a word": b"/MediaBox/Large",
        "crop outside": b"/CropBox[900 900 990 990]",
        "rotated by 45": b"/Rotate 45",
        "rotated by much": b"/Rotate 99999990",
        "contents are a dictionary": b"/Contents<</A 1>>",
        "contents are gone": b"/Contents null",
        "annotation without a place": b"/Annots[<</Subtype/FreeText/Contents(x)>>]",
    }
    return {f"page: {name}": document(GOOD, page=entry) for name, entry in entries.items()}


def _texts() -> dict[str, bytes]:
    places = ((n, 20 + 37 * (n % 62), 2380 - 14 * (n // 62)) for n in range(10_062))
    city = b"".join(b"1 0 0 1 %d %d Tm (St %d) Tj\n" % (x, y, n) for n, x, y in places)
    ranges = b"".join(b"<%04x> <%04x> <d800>\n" % (n, n) for n in range(0, 60_000, 3))
    cmap = b"/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <0000><ffff> endcodespacerange\n"
    to_unicode = {
        3: b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 20 0 R>>",
        20: stream(cmap + b"20000 beginbfrange\n" + ranges + b"endbfrange endcmap"),
    }
    broken = {
        3: b"<</Type/Font/Subtype/TrueType/BaseFont/X/FontDescriptor<</FontFile2 20 0 R/Flags 4>>>>",
        20: stream(b"\0\1\0\0garbage" * 99),
    }
    return {
        "text: a city map": document(b"BT /F 5 Tf\n" + city + b"ET", page=b"/MediaBox[0 0 2400 2400]"),
        "text: 100,000 characters a line": document(b"BT /F 1 Tf 9 9 Td (%b) Tj ET" % (b"word " * 20_000)),
        "text: half characters": document(GOOD, more=to_unicode),
        "text: no font": document(b"BT /Nope 12 Tf 40 300 Td (Hello) Tj ET"),
        "text: broken font": document(GOOD, more=broken),
        "text: size not finite": document(b"BT /F 1e38 Tf 1e38 0 0 1e38 9 9 Tm (big) Tj ET " + GOOD),
        "text: all in one place": document(b"BT /F 9 Tf 9 9 Td " + b"(xxxx) Tj 0 0 Td " * 20_000 + b"ET"),
        "text: controls": document(b"BT /F 12 Tf 9 99 Td (a\\033[31mb\\007c\\000d) Tj ET"),
        "text: faint": document(b".86 g " + GOOD),
    }


def _pictures() -> dict[str, bytes]:
    def shown(entries: bytes, data: bytes = b"x") -> bytes:
        picture = {20: stream(data, b"/Subtype/Image" + entries)}
        return document(b"q 200 0 0 200 0 0 cm /I Do Q", resources=b"/XObject<</I 20 0 R>>", more=picture)

    grey = b"/BitsPerComponent 8/ColorSpace/DeviceGray"
    bits = b"/Width 99/Height 99/BitsPerComponent 1"
    return {
        "image: huge": shown(b"/Width 90000/Height 90000" + grey),
        "image: large and empty": shown(b"/Width 20000/Height 20000" + grey),
        "image: no size": shown(grey),
        "image: negative": shown(b"/Width -5/Height 7" + grey),
        "image: its own mask": shown(b"/Width 9/Height 9/SMask 20 0 R" + grey, b"x" * 81),
        "image: broken jpeg": shown(b"/Width 9/Height 9/Filter/DCTDecode" + grey, b"\xff\xd8\xff\xdb broken"),
        "image: broken jpx": shown(b"/Width 9/Height 9/Filter/JPXDecode" + grey, b"\0\0\0\x0cjP  \r\n\x87\n broken"),
        "image: broken fax": shown(bits + b"/Filter/CCITTFaxDecode/ImageMask true", b"\x9f" * 99),
        "image: broken jbig2": shown(bits + b"/Filter/JBIG2Decode/ColorSpace/DeviceGray", b"\0\1\2"),
    }


def _files() -> dict[str, bytes]:
    sound = document(GOOD, GOOD)
    return {
        "file: junk before": b"junk\n" * 100 + sound,
        "file: junk after": sound + bytes(100_000),
        "file: no end": sound[: sound.rindex(b"startxref")],
        "file: no table": sound[: sound.rindex(b"xref\n0")],
        "file: table elsewhere": sound.replace(b"startxref\n", b"startxref\n9"),
        "file: previous table is itself": pdf(
            {1: b"<</Type/Catalog/Pages 2 0 R>>", 2: b"<</Kids[]/Count 0>>"}, trailer=b"/Prev 9"
        ),
        "file: no root": sound.replace(b"/Root 1 0 R", b"/Root 9 0 R"),
        "file: twice": sound + sound,
        "file: only a header": b"%PDF-1.7\n",
        "file: encrypted in no known way": document(GOOD).replace(
            b"/Root", b"/Encrypt<</Filter/Odd/V 9/R 9/O(x)/U(y)/P 1>>/Root"
        ),
    }
