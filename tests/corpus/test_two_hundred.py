"""Two hundred files, ten of them bad in different ways: each bad one costs itself and is named with its category."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path

import pymupdf
from folder_runs import documents, parse, tree
from scripted_parser import run_child


def good_pdf(path: Path, pages: int, password: str | None = None) -> None:
    document = pymupdf.open()
    for number in range(1, pages + 1):
        document.new_page(width=200, height=200).insert_text((20, 40), f"{path.stem}, page {number}")
    keep = {} if password is None else {"encryption": pymupdf.PDF_ENCRYPT_AES_256, "user_pw": password}
    document.save(path, **keep)
    document.close()


def png(width: int, height: int) -> bytes:
    """A PNG file that says it is of that size and holds no pixels."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", b""), (b"IEND", b"")]
    parts = [
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


BAD = {
    "empty.pdf": (b"", "damaged"),
    "words.pdf": (b"these are words and nothing else\n" * 40, "damaged"),
    "header.pdf": (b"%PDF-1.7\n", "damaged"),
    "zeros.pdf": (bytes(5000), "damaged"),
    "locked.pdf": (None, "encrypted"),
    "empty.png": (b"", "damaged"),
    "words.jpg": (b"no picture", "damaged"),
    "huge.png": (png(200_000, 200_000), "too_large"),
    "torn.tif": (b"II*\0\x08\0\0\0", "damaged"),
    "lost.pdf": (None, "timed_out"),
}


def test_ten_bad_files_of_two_hundred_cost_only_themselves(tmp_path: Path) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    for number in range(190):
        path = source / f"{number % 7}" / f"{number}.pdf"
        path.parent.mkdir(parents=True, exist_ok=True)
        good_pdf(path, pages=1 + number % 3)
    for name, (data, _) in BAD.items():
        if data is not None:
            (source / name).write_bytes(data)
    good_pdf(source / "locked.pdf", 1, password="secret")
    good_pdf(source / "lost.pdf", 3)  # its second page fails
    done = parse(source, out, "--figures", "none", pages=0)
    assert done.returncode == 3, done.stderr
    found = documents(out)
    assert len(found) == 200
    bad = {Path(name).name.removesuffix(".md"): each for name, each in found.items() if each["status"] != "ok"}
    assert {name: each["failure"] for name, each in bad.items()} == {
        (name if name.startswith(("empty", "words")) else Path(name).stem): category
        for name, (_, category) in BAD.items()
    }
    assert [name for name, each in bad.items() if each["status"] == "partial"] == ["lost"]
    assert sum(each["pages"] for each in found.values() if each["status"] == "ok") == sum(
        1 + number % 3 for number in range(190)
    )
    assert len(tree(out)) == 191, "190 documents and the one that misses a page"
    status = run_child(["status", str(out), "--json"])
    facts = json.loads(status.stdout)
    assert status.returncode == 3
    assert (facts["done"], facts["failed"], facts["partial"], facts["missing"]) == (190, 9, 1, 0)
    assert parse(source, out, "--figures", "none", pages=0).returncode == 3
