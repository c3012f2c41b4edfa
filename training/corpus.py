"""Paragraphs of freely usable English, read at training time from documentation that Debian packages install.

Nothing of it is distributed with docspec. Every paragraph belongs to exactly one split by a hash of its text,
so held-out text is never trained on. Where no source is installed, the generators in `prose` stand alone.
"""

from __future__ import annotations

import functools
import gzip
import html
import re
import unicodedata
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

EXTRA_CHARACTERS = (
    "–—‘’“”•…éèêëàâäáíîïóôöúùûüçñßøåÉÖÜ°£€§©®×÷±≤≥≠≈∞→½¼µαβγδεθλπρσφωΔΣΩ√∑∫∂²³¹"
    "ãõìòýÿæœðþăąćčďęěğıłńňőřśşšţťůűźżžÀÁÂÃÄÅÆÇÈÊËÌÍÎÏÑÒÓÔÕØÙÚÛÝŒÞČŁŚŠŻŽİĞŞ"
    "†‡¶«»‹›„‚¡¿¢¥¬·ªº¾™№−‐‑′″‰←↑↓↔⇒⇔∈∉∀∃∇∏∪∩⊂⊆∧∨¬∝∼≡⟨⟩ζηικμνξοτυχψΓΘΛΞΠΦΨℓ■□▪●○◦✓✗⁰⁴⁵⁶⁷⁸⁹"
)
FEW_WORDS = (
    "about after again bridge build carry certain change chapter children country early earth every example "
    "father figure follow garden great group harbour house journey known large later letter light little made "
    "measure might morning mountain name never night number order other paper part people place plant point "
    "quarter question quick reader report river school second sentence should small sound still story table "
    "thought through together under until valley water where which winter without world would write year zone"
)
ALPHABET = frozenset(chr(code) for code in range(32, 127)) | frozenset(EXTRA_CHARACTERS)


SHARE = Path("/usr/share")
"""Where Debian packages keep texts, word lists and fonts."""


@dataclass(frozen=True)
class Source:
    """One Debian package's text: a glob below :data:`SHARE` and its licence."""

    package: str
    pattern: str
    licence: str


SOURCES = (
    Source("anarchism", "doc/anarchism/html/*.html", "GPL-2"),
    Source("debian-handbook", "doc/debian-handbook/html/en-US/*.html", "GPL-2+ or CC-BY-SA-3.0"),
    Source("perl-doc", "perl/*/pod/*.pod", "Artistic-1.0 or GPL-1+"),
    Source("debian-reference-en", "debian-reference/*.en.html", "GPL-2+"),
    Source("developers-reference", "developers-reference/*.html", "GPL-2"),
    Source("debian-policy", "doc/debian-policy/policy.html/*.html", "GPL-2+"),
    Source("debian-faq", "doc/debian/FAQ/debian-faq.en.txt.gz", "permissive, with notice"),
    Source("fortunes", "games/fortunes/*", "BSD collection of short quotations"),
)
ABROAD = (
    Source("fortunes-de", "games/fortunes/de/*", "GPL-2+"),
    Source("fortunes-fr", "games/fortunes/fr/*", "GPL-2+"),
    Source("fortunes-es", "games/fortunes/es/*", "GPL-2+"),
    Source("fortunes-it", "games/fortunes/it/*", "GPL-2+"),
    *(
        Source(f"debian-reference-{language}", f"debian-reference/*.{language}.html", "GPL-2+")
        for language in ("de", "es", "fr", "it", "pt")
    ),
)


def fold(text: str) -> str:
    """`text` with white space collapsed and every character outside the reader's alphabet dropped or
    replaced."""
    text = unicodedata.normalize("NFC", text)
    text = "".join(c if c in ALPHABET else " " if c.isspace() else "" for c in text)
    return re.sub(r" +", " ", text).strip()


def _plain(path: Path) -> str:
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    text = raw.decode("utf-8", "ignore")
    if path.suffix == ".html":
        text = re.sub(r"(?s)<(script|style|pre|head)\b.*?</\1>", "\n\n", text)
        text = re.sub(r"</?(p|div|h\d|li|ul|ol|td|tr|dd|dt|table|blockquote)\b[^>]*>|<br */?>", "\n\n", text)
        return html.unescape(re.sub(r"<[^>]*>", "", text))
    if path.suffix == ".pod":
        text = re.sub(r"(?m)^(=|[ \t]).*$", "", text)
        return re.sub(r"[A-Z]<+ ?([^<>|]*?)(\|[^<>]*)? ?>+", r"\1", text)
    return text.replace("\n%\n", "\n\n")


def _read(source: Source) -> Iterator[str]:
    for path in sorted(SHARE.glob(source.pattern)):
        if path.is_file() and path.suffix in ("", ".html", ".pod", ".gz"):
            for block in re.split(r"\n[ \t]*\n", _plain(path)):
                text = fold(block)
                letters = sum(c.isalpha() for c in text)
                if 40 <= len(text) <= 3000 and letters > 0.7 * len(text) and " " in text[:25]:
                    yield text


def held_out(text: str) -> bool:
    """Whether a paragraph belongs to the evaluation split (4 %)."""
    return zlib.crc32(text.encode()) % 25 == 0


@functools.lru_cache(maxsize=4)
def paragraphs(evaluation: bool = False, abroad: bool = False) -> tuple[str, ...]:
    """All distinct paragraphs of one split, in a stable order; empty where no source is installed. `abroad` gives
    those in other languages of western Europe."""
    seen: dict[str, None] = {}
    for source in ABROAD if abroad else SOURCES:
        for text in _read(source):
            seen.setdefault(text)
    return tuple(text for text in seen if held_out(text) == evaluation)


@functools.lru_cache(maxsize=1)
def words() -> tuple[str, ...]:
    """Dictionary words where a word list is installed, else words of the paragraphs or a few of our own."""
    listing = SHARE / "dict" / "words"
    if listing.is_file():
        entries = listing.read_text(encoding="utf-8", errors="ignore").split()
        return tuple(
            word for i, word in enumerate(entries) if set(word) <= ALPHABET and ("'" not in word or i % 12 == 0)
        )
    texts = paragraphs()[:2000] or (FEW_WORDS,)
    return tuple(sorted({word for text in texts for word in text.split()}))


LANGUAGES = ("french", "ngerman", "spanish", "italian", "portuguese", "dutch", "swedish", "danish", "bokmaal")


@functools.lru_cache(maxsize=1)
def dictionaries() -> tuple[tuple[str, ...], ...]:
    """Word lists of other languages, of those that are installed; every eighth word is enough."""
    found = []
    for language in LANGUAGES:
        listing = SHARE / "dict" / language
        if listing.is_file():
            entries = unicodedata.normalize("NFC", listing.read_text(encoding="utf-8", errors="ignore")).split()
            found.append(tuple(word for word in entries[::8] if set(word) <= ALPHABET))
    return tuple(found)
