"""Who wrote it: authors with their marks, institutes, entries of bibliographies."""

from __future__ import annotations

from training import corpus
from training.prose import Writer
from training.templates import ADDRESSES, JOURNALS, PUBLISHERS, drawn
from training.words import Word, plain

MARKS = (
    "8",
    "8«|9»",
    "«8|8|8,8|8,9,8|89|89,89|8,8«*|†|‡|¶»»",
    "«a|b|c|d|a,b|c,∗»",
    "«*|†|‡|§|¶|**|∗»",
)  # those of one list are of one kind
NAMES = ("{first}", "{first} «A.|B.|M.|S.||»", "«A|C|J|N|R|T».", "«A|J|L|S».«-| »«K|M|P».", "{first} «H|R|V»")
PLACES = "«Department|Institute|School|Faculty|Division|Centre» «of|for»"
HOUSES = "«University of|Hospital of|College of|University Hospital|Research Centre|Inc.,|GmbH,»"


def surname(writer: Writer) -> str:
    """A family name: a known one, or any word of another language in its place."""
    lists, rng = corpus.dictionaries(), writer.rng
    if rng.random() < 0.4 or not lists:
        return drawn(rng, "{last}")
    return rng.choice(rng.choice(lists)).capitalize()


def authors(writer: Writer, length: int) -> list[Word]:
    """Names with the marks of their institutes, or institutes."""
    rng, words, size = writer.rng, [], 0
    if rng.random() < 0.25:
        return [word for _ in range(length // 60 + 1) for word in institute(writer)]
    marks, form = rng.choice(MARKS), rng.choice(NAMES)
    style, parting = rng.choice(("", "", "b", "i", "c")), rng.choice((",", ",", ",", "", ";", "and"))
    letters = style.replace("c", "")
    while size <= length:
        names = f"{drawn(rng, form)} {surname(writer)}"
        *first, last = plain(names.upper() if style == "c" else names, style)
        sign = [(drawn(rng, marks), "^" + letters)] if rng.random() < 0.85 else []
        comma = [(parting, letters)] if parting in (",", ";") else []
        words += [*first, [*last, *comma, *sign] if rng.random() < 0.15 else [*last, *sign, *comma]]
        words += plain("and", letters) if parting == "and" or rng.random() < 0.05 else []
        size += len(names) + 4
    return words


def institute(writer: Writer) -> list[Word]:
    """Where an author works, with its mark."""
    rng = writer.rng
    sign = [(drawn(rng, rng.choice(MARKS)), rng.choice(("^", "^", "b")))]
    place = plain(f"{drawn(rng, PLACES)} {writer.phrase(1, 4)},")
    house = f"{drawn(rng, HOUSES)} {surname(writer)}, {surname(writer)}{drawn(rng, '«| 8999| 89999| 89-999»')},"
    words = place + plain(house + rng.choice((" Germany", " USA", " UK", " France", " Brazil", " China", " India")))
    if rng.random() < 0.3:
        return [sign, *words]
    return [[*sign, *words[0]], *words[1:]]


def reference(writer: Writer) -> list[Word]:
    """An entry of a bibliography."""
    rng = writer.rng
    form = rng.choice(("{last}, «A|B|J|M|S».«| K.| L.»", "«A|C|J|R|T».«| E.| W.» {last}", "{first} {last}"))
    people = [drawn(rng, form) for _ in range(rng.choice((1, 2, 2, 3, 5)))]
    ending = rng.choice((", and ", " and ", ", & ", ", "))
    names = ending.join((", ".join(people[:-1]), people[-1])) if len(people) > 1 else people[0]
    title = f"“{writer.phrase(4, 14)},”" if rng.random() < 0.25 else writer.phrase(4, 14) + rng.choice(".,")
    journal = f"{rng.choice(JOURNALS)} {writer.phrase(1, 3)}{rng.choice((',', ',', ''))}"
    year, pages = drawn(rng, "«19|20»99"), drawn(rng, "8«|9|99»«–|-»8«9|99»")
    volume = [(drawn(rng, "8«|9|99»"), rng.choice("bi"))]
    where = rng.choice(
        (
            [[*volume, (drawn(rng, "(8):{P}«.|, {Y}.»", P=pages, Y=year), "")]],
            [volume, *plain(drawn(rng, "(8), {P}.", P=pages))],
            plain(drawn(rng, "vol. 8«|9», no. 8, pp. {P}, {Y}.", P=pages, Y=year)),
            plain(f"{pages}. {rng.choice(PUBLISHERS)}, {year}."),
        )
    )
    words = plain(drawn(rng, "«[8«|9»]|8«|9».|(8«|9»)|8«|9»|» {N}« ({Y}).|.|,|:| ({Y})»", N=names, Y=year))
    words += plain(title)
    words += plain(journal, "i" if rng.random() < 0.8 else "") + where
    if rng.random() < 0.3:
        words += plain(drawn(rng, rng.choice((*ADDRESSES, "In press.", "Available online.", "[Online]."))))
    return words
