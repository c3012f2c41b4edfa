"""Languages as people name them (``de``, ``deu``, ``german``, ``deutsch``), with their scripts and the models that read
them.

``LANGUAGES`` has languages for which distributions have a model of tesseract. The first code of a row is tesseract's
own, mostly that of ISO 639-3; the others are those of ISO 639-1 and 639-2, RapidOCR's, and names in English and in the
language itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache

from docspec.core.errors import UsageError

AUTO = "auto"
"""The script of each page is found from its text layer, the document's own statement, or its print."""

_TABLE = """
Latin:
afr af afrikaans
aze az azerbaijani
bos bs bosnian
cat ca catalan català
ces cs cze czech čeština
cym cy wel welsh
dan da danish dansk
deu de ger german deutsch
eng en english
epo eo esperanto
est et estonian eesti
eus eu baq basque
fin fi finnish suomi
fra fr fre french français
gle ga irish
glg gl galician
hat ht haitian
hrv hr croatian hrvatski
hun hu hungarian magyar
ind id indonesian
isl is ice icelandic
ita it italian italiano
lat la latin
lav lv latvian
lit lt lithuanian
ltz lb luxembourgish
mlt mt maltese
mri mi mao maori
msa ms may malay
nld nl dut dutch nederlands
nor no nb nn norwegian norsk
oci oc occitan
pol pl polish polski
por pt portuguese português
que qu quechua
ron ro rum romanian română
slk sk slo slovak
slv sl slovenian
spa es spanish español
sqi sq alb albanian
srp_latn rs_latin serbian-latin
swa sw swahili
swe sv swedish svenska
tgl tl fil tagalog filipino
tur tr turkish türkçe
uzb uz uzbek
vie vi vietnamese
Greek el:
ell el gre greek ελληνικά
grc ancient-greek
Cyrillic cyrillic:
rus ru russian русский
ukr uk ukrainian українська
bel be belarusian
bul bg bulgarian български
kaz kk kazakh
kir ky kyrgyz
mkd mk mac macedonian
mon mn mongolian
srp sr rs_cyrillic serbian српски
tat tt tatar
tgk tg tajik
uzb_cyrl uzbek-cyrillic
Arabic arabic:
ara ar arabic العربية
fas fa per persian farsi فارسی
urd ur urdu اردو
pus ps pashto
uig ug uyghur
kur_ara sorani
snd sd sindhi
Hebrew:
heb he iw hebrew עברית
yid yi yiddish
Devanagari devanagari:
hin hi hindi हिन्दी
mar mr marathi
nep ne nepali
san sa sanskrit
Thai th:
tha th thai ไทย
Hangul korean:
kor ko korean 한국어
Kana:
jpn japanese ja jp japan 日本語
Han:
chi_sim chinese zh ch zho chi zh-cn zh-hans 中文
chi_tra traditional-chinese zh-tw zh-hk zh-hant chinese_cht
Tamil ta:
tam ta tamil
Telugu te:
tel te telugu
Georgian ka:
kat ka geo georgian
Armenian:
hye hy arm armenian
Bengali:
ben bn bengali bangla
asm as assamese
Gujarati:
guj gu gujarati
Gurmukhi:
pan pa punjabi
Kannada:
kan kn kannada
Malayalam:
mal ml malayalam
Oriya:
ori or odia oriya
Sinhala:
sin si sinhala
Khmer:
khm km khmer
Lao:
lao lo
Myanmar:
mya my bur burmese
Tibetan:
bod bo tib tibetan
Ethiopic:
amh am amharic
tir ti tigrinya
"""

_PACKS = {"rus": "eslav", "ukr": "eslav", "bel": "eslav"}
"""Languages that RapidOCR has a model for beside that of their script."""

TELLING = {
    "fas": "پچژگ",
    "urd": "ٹڈڑںے",
    "ukr": "іїєґІЇЄҐ",
    "bel": "ўЎ",
    "kaz": "әғқңөұһӘҒҚҢӨҰҺ",
    "srp": "ђћџЂЋЏ",
    "tur": "ğışĞİŞ",
}
"""Letters that the main language of a script lacks: its model writes others in their place, and as surely."""

BUNDLED = frozenset({"Latin", "Han", "Kana"})
"""Scripts of the recogniser that comes in RapidOCR's wheel."""


@dataclass(frozen=True, slots=True)
class Language:
    """A language by tesseract's ``code``, its English ``name``, its ``script`` (a name of :mod:`docspec.core.scripts`),
    all its ``spellings``, and RapidOCR's name for the model that reads it (``pack``; empty: it has none, or has it in
    its wheel)."""

    code: str
    name: str
    script: str
    spellings: tuple[str, ...]
    pack: str = ""


def _table() -> Iterable[Language]:
    script = pack = ""
    for line in _TABLE.split("\n"):
        if line.endswith(":"):
            script, _, pack = line[:-1].partition(" ")
        elif line:
            code, *others = line.split()
            name = next((one for one in others if len(one) > 3 and one.isascii() and "_" not in one), code)
            yield Language(code, name.replace("-", " ").title(), script, (code, *others), _PACKS.get(code, pack))


LANGUAGES: tuple[Language, ...] = tuple(_table())


@cache
def _spelled() -> dict[str, Language]:
    return {spelling: language for language in reversed(LANGUAGES) for spelling in language.spellings}


def language_of(spelling: str) -> Language | None:
    """The language that ``spelling`` names: a code, a name, or a tag with regions (``pt-BR``); ``None``: none known."""
    known = _spelled()
    name = spelling.strip().lower()
    parts = name.replace("_", "-").split("-")
    tags = ("-".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((known[tag] for tag in (name, *tags) if tag in known), None)


def languages_of(names: str) -> tuple[Language, ...]:
    """The languages of an option such as ``deu+ara``; none for ``auto``. Raises :class:`UsageError` for an unknown one,
    with those that are spelled like it."""
    if names.strip().lower() == AUTO:
        return ()
    languages = []
    for part in names.split("+"):
        language = language_of(part)
        if language is None:
            raise UsageError(f"--language {names}: no language is called {part.strip()!r}; {_near(part)}")
        if language not in languages:
            languages.append(language)
    return tuple(languages)


def _near(part: str) -> str:
    near = get_close_matches(part.strip().lower(), _spelled(), n=4, cutoff=0.7)
    if not near:
        return "use a code or an English name, such as de, deu, german, zh, arabic, or auto"
    names = dict.fromkeys(f"{_spelled()[one].code} ({_spelled()[one].name})" for one in near)
    return f"near it are {', '.join(names)}"
