"""PDF files written byte by byte, so that anything may be wrong with them."""

from __future__ import annotations

import zlib

FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"


def pdf(objects: dict[int, bytes], root: int = 1, trailer: bytes = b"") -> bytes:
    """A file of these numbered objects with a sound cross-reference table."""
    out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    size = max(objects) + 1
    offsets = {}
    for number, body in objects.items():
        offsets[number] = len(out)
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % size
    for number in range(1, size):
        out += b"%010d 00000 n \n" % offsets[number] if number in offsets else b"0000000000 00001 f \n"
    out += b"trailer\n<</Size %d/Root %d 0 R%b>>\nstartxref\n%d\n%%%%EOF\n" % (size, root, trailer, start)
    return bytes(out)


def stream(data: bytes, entries: bytes = b"", flate: bool = False) -> bytes:
    """A stream object, compressed if asked for."""
    if flate:
        data, entries = zlib.compress(data), entries + b"/Filter/FlateDecode"
    return b"<<%b/Length %d>>\nstream\n%b\nendstream" % (entries, len(data), data)


def text(*lines: str, x: int = 40, top: int = 360, size: int = 12) -> bytes:
    """The contents of a page with these lines under each other."""
    shown = b"".join(b"(%b)Tj T*\n" % line.encode("latin-1") for line in lines)
    return b"BT /F %d Tf %d TL %d %d Td\n%bET\n" % (size, size + 4, x, top, shown)


def document(
    *contents: bytes,
    page: bytes = b"",
    catalog: bytes = b"",
    resources: bytes = b"",
    more: dict[int, bytes] | None = None,
    tree: bytes | None = None,
) -> bytes:
    """A document with a page for each of ``contents`` (a stream's data, or a whole object that begins with ``<<``).

    Page ``n`` (from 0) is object ``10 + 2n``, its contents the object after it. ``page``, ``catalog`` and ``resources``
    are further entries of these dictionaries, ``more`` further objects, ``tree`` the page tree's root instead of the
    sound one (object 2).
    """
    kids = b" ".join(b"%d 0 R" % (10 + 2 * n) for n in range(len(contents)))
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R%b>>" % catalog,
        2: tree or b"<</Type/Pages/Kids[%b]/Count %d>>" % (kids, len(contents)),
        3: FONT,
    }
    for n, content in enumerate(contents):
        objects[10 + 2 * n] = (
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Contents %d 0 R"
            b"/Resources<</Font<</F 3 0 R>>%b>>%b>>" % (11 + 2 * n, resources, page)
        )
        objects[11 + 2 * n] = content if content.startswith(b"<<") else stream(content)
    return pdf(objects | (more or {}))


def packed(objects: dict[int, bytes], left_out: tuple[int, ...] = (), root: int = 1) -> bytes:
    """A file whose dictionaries are in an object stream. Its index promises the numbers ``left_out`` there, too, as
    tools leave it that cut some pages out of a longer document."""
    inside = [number for number, body in objects.items() if b"stream" not in body]
    size = max(*objects, *left_out, 0) + 3
    holder, index = size - 2, size - 1
    heads, bodies = b"", b""
    for number in inside:
        heads += b"%d %d " % (number, len(bodies))
        bodies += objects[number] + b"\n"
    rows = {0: (0, 0, 65535)} | {number: (2, holder, at) for at, number in enumerate((*inside, *left_out))}
    out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    holding = stream(heads + bodies, b"/Type/ObjStm/N %d/First %d" % (len(inside), len(heads)))
    for number, body in ({n: body for n, body in objects.items() if n not in inside} | {holder: holding}).items():
        rows[number] = (1, len(out), 0)
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    rows[index] = (1, len(out), 0)
    table = b"".join(
        bytes([kind]) + place.to_bytes(4, "big") + more.to_bytes(2, "big")
        for kind, place, more in (rows.get(number, (0, 0, 0)) for number in range(size))
    )
    entries = b"/Type/XRef/W[1 4 2]/Size %d/Root %d 0 R" % (size, root)
    out += b"%d 0 obj\n%b\nendobj\nstartxref\n%d\n%%%%EOF\n" % (index, stream(table, entries), rows[index][1])
    return bytes(out)
