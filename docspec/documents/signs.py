"""Fonts of signs whose characters a file does not tell, or tells wrongly: Symbol, Wingdings, ZapfDingbats.

Their glyphs have names and codes of their own. Many programs say all the same that such a font has the encoding of
Latin text (then a lambda is told as "l", "5 µg" as "5 mg"), or name nothing (MuPDF then tells the numbers in the names
of ZapfDingbats' glyphs, ``a73`` as "I"). No later stage can tell that from letters. The font's own table is put in.

The tables hold the characters of these fonts by their codes from 0x20 to 0xFF; a space where there is none. They are
after those published: Adobe's encodings of Symbol and ZapfDingbats, and the characters of Unicode 7 for Wingdings and
Webdings (L2/11-196), with boxes, ticks, arrows and bullets as the plain characters that people type.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from docspec.documents.mupdf import mupdf

FIRST = 0x20
"""The code of the first character of each table."""

SYMBOL = (
    " !∀#∃%&∋()*+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩ"
    "ΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}~                 "
    "                €ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…|⎯↵ℵℑℜ℘⊗⊕∅∩"
    "∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\uf8ff〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭ "
)
WINGDINGS = (
    " 🖉✂✁👓🕭🕮🕯🕿✆🖂🖃📪📫📬📭🗀🗁🗎🗏🗐🗄⌛🖮🖰🖲🖳🖴🖫🖬✇✍🖎✌🖏👍👎☜☞☝☟🖐☺😐☹💣🕱🏳🏱✈☼🌢❄🕆✞🕈"
    "✠✡☪☯🕉☸♈♉♊♋♌♍♎♏♐♑♒♓🙰🙵●🔾■☐🞐❑❒🞟⧫◆❖⬩☒⮹⌘🏵🏶🙶🙷▯🄋➀➁➂➃➄➅➆➇➈➉🄌➊➋➌➍"
    "➎➏➐➑➒➓🙢🙠🙡🙣🙞🙜🙝🙟∙•⬝⭘🞆🞈🞊🞋🔿▪☐🟁🟅★🟋🟏🟓🟑⯐⌖⯎⯏⯑✪✰🕐🕑🕒🕓🕔🕕🕖🕗🕘🕙🕚🕛⮰⮱⮲⮳⮴"
    "⮵⮶⮷🙪🙫🙕🙔🙗🙖🙐🙑🙒🙓⌫⌦⮘➢⮙⮛⮈⮊⮉⮋←→↑↓🡬🡭🡯🡮🡸🡺🡹🡻🡼🡽🡿🡾⇦⇨⇧⇩⬄⇳⬁⬀⬃⬂🢬🢭✗✓☒☑ "
)
WINGDINGS_2 = (
    " 🖊🖋🖌🖍✄✀🕾🕽🗅☐🗇🗈🗉🗊🗋🗌🗍📋🗑🗔🖵🖶🖷🖸🖭🖯🖱🖒🖓🖘🖙🖚🖛👈👉🖜🖝🖞🖟🖠🖡👆👇🖢🖣🖑✗✓☒☑☒☒⮾⮿🛇"
    "⦸🙱🙴🙲🙳‽🙹🙺🙻🙦🙤🙥🙧🙚🙘🙙🙛⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿ ☉🌕☽☾⸿✝🕇🕜🕝🕞🕟🕠🕡🕢🕣🕤"
    "🕥🕦🕧🙨🙩⋅🞄•●○🞅🞇🞉⊙⦿🞌🞍◾■☐🞑🞒🞓🞔▣🞕🞖🞗🞘⬩⬥◇🞚◈🞛🞜🞝🞞⬪⬧◊🞠◖◗⯊⯋⯀⯁⬟⯂⬣⬢⯃⯄🞡🞢"
    "🞣🞤🞥🞦🞧🞨🞩🞪🞫🞬🞭🞮🞯🞰🞱🞲🞳🞴🞵🞶🞷🞸🞹🞺🞻🞼🞽🞾🞿🟀🟂🟄🟆🟉🟊✶🟌🟎🟐🟒✹🟃🟇✯🟍🟔⯌⯍※⁂      "
)
WINGDINGS_3 = (
    " ⭠⭢⭡⭣⭦⭧⭩⭨⭰⭲⭱⭳⭶⭸⭻⭽⭤⭥⭪⭬⭫⭭⭍⮠⮡⮢⮣⮤⮥⮦⮧⮐⮑⮒⮓⮀⮃⭾⭿⮄⮆⮅⮇⮏⮍⮎⮌⭮⭯⎋⌤⌃⌥␣⍽"
    "⇪⮸🢠🢡🢢🢣🢤🢥🢦🢧🢨🢩🢪🢫🡐🡒🡑🡓🡔🡕🡗🡖🡘🡙▲▼△▽◀▶◁▷◣◢◤◥🞀🞂🞁 🞃⯅⯆⯇⯈⮜⮞⮝⮟🠐🠒🠑🠓🠔🠖🠕"
    "🠗🠘🠚🠙🠛🠜🠞🠝🠟🠀🠂🠁🠃🠄🠆🠅🠇🠈🠊🠉🠋🠠🠢🠤🠦🠨🠪🠬🢜🢝🢞🢟🠮🠰🠲🠴🠶🠸🠺🠹🠻🢘🢚🢙🢛🠼🠾🠽🠿🡀🡂🡁🡃🡄🡆🡅"
    "🡇⮨⮩⮪⮫⮬⮭⮮⮯🡠🡢🡡🡣🡤🡥🡧🡦🡰🡲🡱🡳🡴🡵🡷🡶🢀🢂🢁🢃🢄🢅🢇🢆🢐🢒🢑🢓🢔🢖🢕🢗               "
)
WEBDINGS = (
    " 🕷🕸🕲🕶🏆🎖🖇🗨🗩🗰🗱🌶🎗🙾🙼🗕🗖🗗⏴⏵⏶⏷⏪⏩⏮⏭⏸⏹⏺🗚🗳🛠🏗🏘🏙🏚🏜🏭🏛🏠🏖🏝🛣🔍🏔👁👂🏞🏕🛤🏟🛳🕬🕫🕨"
    "🔈🎔🎕🗬🙽🗭🗪🗫⮔✓🚲☐🛡📦🛱■🚑🛈🛩🛰🟈🕴⬤🛥🚔🗘✗❓🛲🚇🚍⛳⦸⊖🚭🗮⏐🗯🗲 🚹🚺🛉🛊🚼👽🏋⛷🏂🏌🏊🏄🏍🏎🚘🗠"
    "🛢💰🏷💳👪🗡🗢🗣✯🖄🖅🖃🖆🖹🖺🖻🕵🕰🖽🖾📋🗒🗓🕮📚🗞🗟🗃🗂🖼🎭🎜🎘🎙🎧💿🎞📷🎟🎬📽📹📾📻🎚🎛📺💻🖥🖦🖧🕹🎮🕻🕼📟"
    "🖁🖀🖨🖩🖿🖪🗜🔒🔓🗝📥📤🕳🌣🌤🌥🌦☁🌨🌧🌩🌪🌬🌫🌜🌡🛋🛏🍽🍸🛎🛍Ⓟ♿🛆🖈🎓🗤🗥🗦🗧🛪🐿🐦🐟🐕🐈🙬🙮🙭🙯🗺🌍🌏🌎🕊"
)
ZAPF_DINGBATS = (
    " ✁✂✃✄☎✆✇✈✉☛☞✌✍✎✏✐✑✒✓✔✕✖✗✘✙✚✛✜✝✞✟✠✡✢✣✤✥✦✧★✩✪✫✬✭✮✯✰✱✲✳✴✵✶✷"
    "✸✹✺✻✼✽✾✿❀❁❂❃❄❅❆❇❈❉❊❋●❍■❏❐❑❒▲▼◆❖◗❘❙❚❛❜❝❞                 "
    "                 ❡❢❣❤❥❦❧♣♦♥♠①②③④⑤⑥⑦⑧⑨⑩❶❷❸❹❺❻❼❽❾❿➀➁➂➃➄➅➆➇"
    "➈➉➊➋➌➍➎➏➐➑➒➓➔→↔↕➘➙➚➛➜➝➞➟➠➡➢➣➤➥➦➧➨➩➪➫➬➭➮➯ ➱➲➳➴➵➶➷➸➹➺➻➼➽➾ "
)

_FONTS = (
    (re.compile(r"wingdings[ -]?2", re.IGNORECASE), WINGDINGS_2),
    (re.compile(r"wingdings[ -]?3", re.IGNORECASE), WINGDINGS_3),
    (re.compile(r"wingdings", re.IGNORECASE), WINGDINGS),
    (re.compile(r"webdings", re.IGNORECASE), WEBDINGS),
    (re.compile(r"dingbats|^(?:[A-Z]{6}\+)?zadb$", re.IGNORECASE), ZAPF_DINGBATS),
    (re.compile(r"^(?:[A-Z]{6}\+)?Symbol(?:MT|PS\w*|Std\w*|Neu\w*)?\b", re.IGNORECASE), SYMBOL),
)


@cache
def table_of(font: str) -> str | None:
    """The table of the characters of ``font``, by its name; ``None`` for a font of letters."""
    return next((table for name, table in _FONTS if name.search(font)), None)


_CODECS = {"WinAnsiEncoding": "cp1252", "MacRomanEncoding": "mac_roman"}
_NOT_OF_MACROMAN = frozenset(b"\xad\xb0\xb2\xb3\xb6\xb7\xb8\xb9\xba\xbd\xc3\xc5\xc6\xd7\xdb\xf0")
"""Codes that the encoding of this name has on a Macintosh, and not in a PDF (ISO 32000-2, annex D)."""

_LATIN = re.compile(r"/?(WinAnsi|MacRoman|Standard)Encoding")
_NAMED = re.compile(r"/Differences\s*\[([^\]]*)\]")
_SIMPLE = ("Type1", "TrueType", "MMType1")
_GREEK = str.maketrans("\u00b5\u2206\u2126", "μΔΩ")
"""Signs that two tables have under other numbers."""

_OTHER_NAMES = "©®™"
"""Signs that Symbol has, with and without serifs, under other names than those of Latin encodings."""

_MICRO = str.maketrans("μ", "\u00b5")
"""What the glyph ``mu`` is in Adobe's list of names, after which MuPDF tells it in sound files."""


UNKNOWN = "\ufffd"
"""What MuPDF tells for a glyph that it does not know."""

_IDENTITY = re.compile(r"/Ordering\s*\(Identity\)")
NESTED = 3
"""An array, a font in it, and what this says of its numbers may each be an object of its own."""

FEW = 256
"""How many numbers of a font are asked for, from 1 on: those of TrueType's usual order."""

_TWICE = re.compile(rb"<(d835d[c-f][0-9a-f]{2})\1>", re.IGNORECASE)
"""A letter of formulas that a ``/ToUnicode`` has twice for one glyph: Acrobat writes it for each half of its number."""


def name_signs(page: Any) -> bool:
    """Gives the fonts of signs of a ``pymupdf.Page`` whose file may be changed a ``/ToUnicode`` where they lack one,
    and tells once the letters that one has twice. Whether anything was changed."""
    pdf, changed = page.parent, False
    for xref, _, kind, name, *_ in page.get_fonts():
        if not xref:  # written within the page's resources, where MuPDF has no call to change it
            continue
        given, told = pdf.xref_get_key(xref, "ToUnicode")
        if given == "xref":
            changed |= _tell_once(pdf, int(told.split()[0]))
        table = table_of(name)
        if table is None or kind not in _SIMPLE or given != "null":
            continue
        signs = _signs(table, _encoding(pdf, xref))
        if signs:
            set_stream(pdf, xref, "ToUnicode", table_of_codes(signs, 1))
            changed = True
    return changed


def name_glyphs(page: Any) -> bool:
    """Gives composite fonts of a ``pymupdf.Page`` that are not embedded a ``/ToUnicode`` where they lack one, with what
    MuPDF takes their numbers for: other readers tell the numbers. Whether anything was changed."""
    pdf, changed = page.parent, False
    for xref, kind, *_, encoding, _ in page.get_fonts(full=True):
        if not xref or kind != "n/a" or encoding != "Identity-H" or pdf.xref_get_key(xref, "ToUnicode")[0] != "null":
            continue
        if _IDENTITY.search(_written(pdf, pdf.xref_get_key(xref, "DescendantFonts")[1], NESTED)):
            set_stream(pdf, xref, "ToUnicode", table_of_codes(_told_of_numbers(), 2))
            changed = True
    return changed


def _written(pdf: Any, value: str, levels: int) -> str:
    """``value`` of an object and the objects that it names, to so many ``levels``."""
    named = [int(number) for number in re.findall(r"(\d+) 0 R", value)] if levels else []
    return " ".join([value, *(_written(pdf, pdf.xref_object(number), levels - 1) for number in named)])


@cache
def _told_of_numbers() -> dict[int, str]:
    """What MuPDF tells for the first numbers of a font that is not embedded and has no table: they are written on a
    page, each at its place."""
    font = (
        "<</Type/Font/Subtype/Type0/BaseFont/Times/Encoding/Identity-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType2"
        "/BaseFont/Times/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>"
        "/FontDescriptor<</Type/FontDescriptor/FontName/Times/Flags 4>>>>]>>"
    )
    written = "".join(
        f"BT /F 1 Tf 1 0 0 1 {number % 16 * 10 + 1} {number // 16 * 10 + 1} Tm <{number:04x}> Tj ET "
        for number in range(1, FEW)
    )
    with mupdf().open() as pdf:
        page = pdf.new_page(width=FEW, height=FEW)
        set_stream(pdf, page.xref, "Contents", written.encode())
        pdf.xref_set_key(page.xref, "Resources", f"<</Font<</F {font}>>>>")
        blocks = pdf[0].get_text("rawdict")["blocks"]
    signs = {}
    for char in (
        char for block in blocks for line in block["lines"] for span in line["spans"] for char in span["chars"]
    ):
        x, y = char["origin"]
        signs[round(x) // 10 + round(FEW - y) // 10 * 16] = char["c"]
    return {number: sign for number, sign in signs.items() if sign != UNKNOWN and sign.isprintable()}


def set_stream(pdf: Any, xref: int, key: str, data: bytes) -> None:
    """Makes a new stream the value of ``key`` of the object ``xref``."""
    number = pdf.get_new_xref()
    pdf.update_object(number, "<<>>")
    pdf.update_stream(number, data, new=True)
    pdf.xref_set_key(xref, key, f"{number} 0 R")


def _tell_once(pdf: Any, xref: int) -> bool:
    table = pdf.xref_stream(xref) if pdf.xref_is_stream(xref) else b""
    once = _TWICE.sub(rb"<\1>", table)
    if once != table:
        pdf.update_stream(xref, once)
    return bool(once != table)


def _encoding(pdf: Any, xref: int) -> str:
    kind, encoding = pdf.xref_get_key(xref, "Encoding")
    return str(pdf.xref_object(int(encoding.split()[0])) if kind == "xref" else encoding)


def _signs(table: str, encoding: str) -> dict[int, str]:
    """The signs of the codes, where a font with this ``table`` and ``encoding`` tells none or wrong ones.

    A glyph is found by its name, if the font has one of this name, else by its code: in Symbol the Latin code of the
    degree sign is that, and the Latin code of "l" is lambda. Codes that the file names itself (``/Differences``) are
    told by these names."""
    latin = _LATIN.search(encoding)
    if latin is None and (table is SYMBOL or "/Differences" in encoding):
        return {}  # MuPDF knows the names of the font's own encoding
    named = _named(encoding)
    codec = _CODECS.get(f"{latin[1]}Encoding") if latin is not None and table is SYMBOL else None
    signs = {}
    for code, own in enumerate(table, FIRST):
        sign = own
        if codec is not None:
            is_latin = codec != "mac_roman" or code not in _NOT_OF_MACROMAN
            other = bytes([code]).decode(codec, "ignore").translate(_GREEK) if is_latin else ""
            sign = other if other and other in table and other not in _OTHER_NAMES else own
        if sign.strip() and code not in named:
            signs[code] = sign.translate(_MICRO)
    return signs


def _named(encoding: str) -> set[int]:
    """The codes that an ``encoding`` names itself."""
    named: set[int] = set()
    listed = _NAMED.search(encoding)
    at = 0
    for part in re.findall(r"\d+(?![^\s/])|/[^\s/]+", listed[1]) if listed is not None else ():
        if part[0] == "/":
            named.add(at)
            at += 1
        else:
            at = int(part)
    return named


def table_of_codes(signs: Mapping[int, str], width: int, table: bytes = b"") -> bytes:
    """A ``/ToUnicode`` of ``signs`` for codes of ``width`` bytes, and of what another ``table`` says of other codes."""
    named = "\n".join(f"<{code:0{2 * width}x}> <{sign.encode('utf-16-be').hex()}>" for code, sign in signs.items())
    told = (
        f"1 begincodespacerange <{'00' * width}> <{'ff' * width}> endcodespacerange "
        f"{len(signs)} beginbfchar\n{named}\nendbfchar "
    ).encode()
    if table:  # what is said last holds
        before, end, behind = table.rpartition(b"endcmap") if b"endcmap" in table else (table, b"", b"")
        return b"%b\n%b%b%b" % (before, told, end, behind)
    return b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def " + told + b"endcmap end end"
