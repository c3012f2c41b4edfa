"""Pages on which ends of lines have a meaning, beside prose on which they have none: addresses, verses, imprints, keys,
names below each other, short paragraphs without white between them."""

from __future__ import annotations

import random

from training.structure.pages.business import LABELS, Office
from training.structure.pages.page import Block, Group, Page, Part
from training.structure.pages.sheets import WIDE
from training.structure.pages.text import joined, plain
from training.structure.pages.words import FIRST, LAST, MONTHS, PLACES, UNITS

WEEK = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "Monday", "Friday", "Sunday", "Montag", "lundi", "Daily")
ROLES = ("Professor", "Director", "Manager", "Head of Sales", "Geschäftsführer", "Chair", "Editor", "Secretary")
PHONES = ("Tel", "Phone", "Fon", "Mobile", "Telephone", "Tél", "Telefon", "Cell")
STREETS = ("St", "Street", "Rd.", "Road", "Ave", "Avenue", "Lane", "Blvd.", "Way", "Quay", "Court", "Drive")
WAYS = ("rue de", "Rua do", "Via", "Calle", "Avenue de", "Plaza", "ul.", "Am", "Place")
LANDS = ("France", "United States", "USA", "Germany", "Deutschland", "United Kingdom", "Italia", "Canada", "Portugal")
HEADS = ("Bill to", "Ship to", "Remit to", "Service address", "From", "To", "Rechnungsadresse", "Sold to", "Attention")
FORMS = ("Ltd", "GmbH", "Inc.", "Corp", "SARL", "AG", "Limited", "LLC", "& Sons", "Headquarters", "e.V.", "Co. KG", "")
CLOSINGS = ("Yours sincerely,", "Kind regards,", "Mit freundlichen Grüßen", "Cordialement,", "Signed:", "Best wishes")


class LineTexts(Office):
    """Draws such pages."""

    def paragraph(self) -> Block:
        """Running text, in some with figures that stay on one line with their units and dates."""
        rng, block = self.rng, super().paragraph()
        if rng.random() < 0.6:
            return block
        pieces: list[tuple[str, str]] = []
        for text, style in block.text:
            words = text.split(" ")
            for _ in range(len(words) // rng.randint(8, 25)):
                words.insert(rng.randint(1, len(words)), self.amount())
            pieces.append((" ".join(words), style))
        return Block(block.kind, tuple(pieces))

    def amount(self) -> str:
        """A figure with what no typesetter parts from it."""
        rng = self.rng
        year, share = rng.randint(1990, 2026), f"{rng.random() * 90:.{rng.randint(0, 1)}f}"
        texts = (
            f"{share}% to €{rng.randint(2, 999)} million",
            f"by {share} %",
            f"to ${rng.randint(2, 999)} billion",
            f"{year} (Q{rng.randint(1, 4)} {year - 1}: €{rng.randint(2, 999)} million)",
            f"{rng.randint(1, 28)} {rng.choice(MONTHS)} {year}",
            f"{rng.randint(2, 500)} {rng.choice(UNITS)}",
            f"§ {rng.randint(1, 99)} Abs. {rng.randint(1, 9)}",
            f"No. {rng.randint(1, 999)}",
            f"Fig. {rng.randint(1, 20)} ({rng.choice('abc')})",
            f"{rng.choice(FIRST)} {rng.choice(LAST)}",
        )
        return rng.choice(texts).replace(" ", WIDE)

    def broken(self, *lines: str) -> Block:
        """Lines of their own."""
        return Block("address", joined([plain(line) for line in lines if line]))

    def clause(self) -> str:
        """A part of a sentence."""
        words = self.writer.sentence().rstrip(".?").split()
        return " ".join(words[: self.rng.randint(3, 10)])

    def verses(self) -> Part:
        """A stanza: lines of which some begin with capitals, some end in marks."""
        rng, capital = self.rng, self.rng.random() < 0.6
        made: list[str] = []
        for _ in range(rng.randint(3, 9)):
            line = self.clause() + rng.choice(("", "", ",", ",", ".", ";", " –", "!", "?"))
            made.append(line[0].upper() + line[1:] if capital or not made else line[0].lower() + line[1:])
        return self.broken(*made)

    def keys(self) -> Part:
        """Abbreviations and what they mean."""
        rng, mark = self.rng, self.rng.choice((" = ", ": ", " – ", ". ", " - ", "\u2003"))
        return self.broken(
            *(
                "".join(rng.sample("ABCDEFGHIKLMNOPRSTUVW", rng.randint(1, 4))) + mark + self.writer.phrase(1, 6)
                for _ in range(rng.randint(3, 9))
            )
        )

    def facts_in_lines(self) -> Part:
        """Labels with their values behind them."""
        rng, draw = self.rng, self.writer
        mark = rng.choice((": ", ": ", " ", ". ", " : ", ":" + 3 * WIDE, WIDE + WIDE + ": "))
        values = (
            draw.date,
            draw.code,
            draw.person,
            lambda: draw.title(1, 6),
            lambda: rng.choice(PLACES),
            lambda: f"urn:{draw.noun()}:{draw.noun()}.{draw.noun()}:{rng.randint(1, 99)}#{draw.noun()}",
            lambda: f"{rng.randint(1, 9)}.{rng.randint(0, 9)} ({draw.date()})",
        )
        own = rng.choice(values)  # lines of one width, where all values are alike
        alike = rng.random() < 0.3
        names = rng.sample(LABELS, rng.randint(2, 7))
        return self.broken(*(label + mark + (own if alike else rng.choice(values))() for label in names))

    def imprint(self) -> Part:
        """Who made it, when and where."""
        rng = self.rng
        lines = [
            f"© {rng.randint(1990, 2026)} {self.writer.title(1, 3)}",
            rng.choice(("All rights reserved.", "Alle Rechte vorbehalten", "Printed in " + rng.choice(PLACES))),
            f"ISBN 978-{rng.randint(1, 9)}-{rng.randint(100, 9999)}-{rng.randint(1000, 9999)}-{rng.randint(0, 9)}",
            f"{rng.choice(('First edition', 'Version', 'Revision', 'Stand'))} {rng.randint(1, 9)}.{rng.randint(0, 9)}",
            f"www.{rng.choice(LAST).lower()}.com",
            f"{rng.choice(MONTHS)} {rng.randint(1990, 2026)}",
            self.writer.sentence(),
        ]
        return self.broken(*rng.sample(lines, rng.randint(3, 6)))

    def names(self) -> Part:
        """Names, titles or things below each other."""
        rng, draw = self.rng, self.writer
        draws = (
            draw.person,
            lambda: f"{draw.person()}, {rng.choice(ROLES)}",
            lambda: draw.title(1, 5),
            lambda: draw.phrase(1, 3),
            lambda: f"{draw.person()} ({rng.choice(PLACES)})",
            lambda: f"{draw.title(1, 4)}, {rng.randint(1900, 2026)}",
        )
        one = rng.choice(draws)
        return self.broken(*(one() for _ in range(rng.randint(3, 14))))

    def hours(self) -> Part:
        """Opening hours, prices, times."""
        rng = self.rng
        lines = [
            f"{rng.choice(WEEK)}{rng.choice(('–', ' - ', ' to '))}{rng.choice(WEEK)}{rng.choice((' ', ': '))}"
            f"{rng.randint(6, 11)}:{rng.choice(('00', '30'))}–{rng.randint(15, 22)}:00"
            for _ in range(rng.randint(2, 5))
        ]
        return self.broken(*lines)

    def receipt(self) -> Part:
        """Things with amounts behind them."""
        rng, sign = self.rng, self.rng.choice(("", " EUR", "€", " $"))
        lines = [f"{self.writer.title(1, 4)} {rng.random() * 90:.2f}{sign}" for _ in range(rng.randint(3, 10))]
        if rng.random() < 0.5:
            rule = rng.choice("-=_*.") * rng.randint(8, 30)
            lines.insert(rng.randrange(len(lines)), rule)
            lines += [rule, rng.choice(("TOTAL", "Total", "Summe")) + f" {rng.random() * 900:.2f}{sign}"]
        return self.broken(*lines)

    def contact(self) -> Part:
        """Ways to somebody, with labels in capitals or without."""
        rng = self.rng
        name = rng.choice(LAST).lower()
        style = rng.choice((str, str, str.lower, str.upper))
        mark = rng.choice((" ", " ", ": ", ". ", WIDE + WIDE))
        one, two, three = rng.randint(1, 99), rng.randint(100, 999), rng.randint(1000, 99999)
        lines = [
            f"{style(rng.choice(PHONES))}{mark}+{one} {two} {three}",
            f"{style('Fax')}{mark}({two}) {rng.randint(10, 99)} {rng.randint(10, 99)} -{one}",
            f"{rng.choice(('', '', style('E-Mail') + mark))}{rng.choice(FIRST).lower()}@{name}.com",
            f"https://www.{name}.org/{self.writer.noun()}",
            f"{rng.choice(LAST)} {rng.choice(('Street', 'Road', 'str.', 'Platz'))} {rng.randint(1, 300)}",
            f"{rng.randint(1000, 99999)} {rng.choice(PLACES)}",
            self.writer.person(),
            self.writer.title(1, 3) + rng.choice((" Ltd", " GmbH", " Inc.", "")),
        ]
        return self.broken(*rng.sample(lines, rng.randint(2, 6)))

    def postal(self) -> Part:
        """Where somebody is to be found, by mail or otherwise, in few short lines, in some with a head."""
        rng, draw = self.rng, self.writer
        number, town = rng.randint(1, 9999), rng.choice(PLACES)
        state = "".join(rng.sample("ACDFGHIKLMNOPRSTVWXY", 2))
        who = [
            rng.choice(
                (draw.person(), f"{draw.title(1, 2)} {rng.choice(FORMS)}", f"{rng.choice(LAST)} & {draw.person()}")
            )
        ]
        if rng.random() < 0.4:
            who.append(rng.choice((draw.title(1, 3), f"Attn: {draw.person()}", rng.choice(ROLES), draw.person())))
        street = (
            f"{number} {rng.choice(LAST)} {rng.choice(STREETS)}",
            f"{number} {draw.title(1, 2)} {rng.choice(STREETS)}",
            f"{rng.choice(LAST)}{rng.choice(('str.', 'straße', 'weg', 'platz', 'gasse'))} {rng.randint(1, 300)}",
            f"{rng.choice(WAYS)} {rng.choice(LAST)} {rng.randint(1, 300)}",
            f"{rng.randint(1, 300)} {rng.choice(WAYS).lower()} {rng.choice(LAST)}",
            f"P.O. Box {number}",
        )
        city = (
            f"{town} {state}, {rng.randint(10000, 99999)}",
            f"{town}, {state} {rng.randint(10000, 99999)}",
            f"{town} {state} {rng.randint(10000, 99999)}",
            f"{rng.randint(1000, 99999)} {town}",
            f"{rng.choice(('D-', 'F-', 'CH-'))}{rng.randint(1000, 99999)} {town}",
            f"{town} {state}{rng.randint(1, 20)} {rng.randint(1, 9)}{state}",
        )
        lines = [*who, rng.choice(street), rng.choice(city)]
        if rng.random() < 0.3:
            lines.append(rng.choice(LANDS))
        if rng.random() < 0.3:
            lines.append(f"{rng.choice(('Phone: ', 'Tel. ', '', 'T '))}({rng.randint(100, 999)}) {number}-{number}")
        if rng.random() < 0.2:
            lines.append(f"{rng.choice(FIRST).lower()}@{rng.choice(LAST).lower()}.com")
        if rng.random() < 0.2:
            lines = [*(line + "," for line in lines[:-1]), lines[-1]]
        if rng.random() < 0.3:
            head = rng.choice(HEADS)
            lines.insert(0, rng.choice((head, f"{head}:", head.upper(), f"{head.upper()}:")))
        lines = lines[rng.choice((0, 0, 0, 1)) :]
        return self.broken(*(map(str.upper, lines) if rng.random() < 0.2 else lines))

    def bank(self) -> Part:
        """Where to pay, and the numbers of who is paid."""
        rng, draw = self.rng, self.writer
        mark = rng.choice((" ", " ", ": ", ":"))
        iban = f"{rng.choice(('DE', 'FR', 'NL', 'IT'))}{rng.randint(10**18, 10**19)}"
        if rng.random() < 0.5:
            iban = " ".join(iban[at : at + 4] for at in range(0, len(iban), 4))
        lines = [
            f"{rng.choice(('VAT-ID', 'USt-ID', 'TVA', 'Tax No.', 'Reg. No.'))}{mark}DE{rng.randint(10**8, 10**9)}",
            f"IBAN{mark}{iban}",
            f"BIC{mark}{''.join(rng.sample('ABCDEFGHIKLMNOPRSTUVWX', rng.choice((8, 11))))}",
            f"{rng.choice(PLACES)}{rng.choice((' Bank', 'er Sparkasse', ' Savings Bank', 'er Volksbank eG'))}",
            f"{rng.choice(('Account holder', 'Kontoinhaber', 'Titulaire', 'Payee'))}{mark}{draw.person()}",
            f"{rng.choice(('HRB', 'HRA', 'RCS', 'Company no.'))}{mark}{rng.randint(1000, 99999)}",
            f"{rng.choice(('Geschäftsführer', 'Managing director', 'Chair'))}{mark}{draw.person()}",
        ]
        return self.broken(*rng.sample(lines, rng.randint(2, 6)))

    def title_page(self) -> Part:
        """A title, who wrote it, where and when."""
        rng = self.rng
        lines = [
            self.writer.title(2, 8),
            rng.choice(("by", "von", "")),
            self.writer.person(),
            rng.choice((f"University of {rng.choice(PLACES)}", self.writer.title(2, 5), rng.choice(ROLES))),
            rng.choice((self.writer.date(), f"{rng.choice(MONTHS)} {rng.randint(1990, 2026)}", "")),
        ]
        return self.broken(*lines)

    def closing(self) -> Part:
        """The end of a letter."""
        return self.broken(self.rng.choice(CLOSINGS), self.writer.person(), self.rng.choice((*ROLES, "")))

    def speech(self) -> Part:
        """What somebody says, a text of its own."""
        rng = self.rng
        mark = rng.choice((": ", " – ", ". "))
        who = rng.choice((self.writer.person(), rng.choice(FIRST).upper(), rng.choice("QA")))
        return Block("paragraph", plain(who + mark + self.writer.paragraph(rng.choice((10, 80, 200)))))

    def short(self) -> Part:
        """A paragraph of a sentence or two."""
        rng = self.rng
        text = self.writer.paragraph(rng.choice((5, 60, 120, 180)))
        if rng.random() < 0.15:
            text = " ".join(text.split()[: rng.randint(2, 6)]).rstrip(",") + rng.choice((".", ":", ""))
        return Block("paragraph", plain(text))

    def numbered(self) -> Part:
        """A line of a form or a clause of a contract, with its number in the text."""
        rng = self.rng
        number = rng.choice(
            (f"{rng.randint(1, 40)}", f"{rng.randint(1, 9)}.{rng.randint(1, 9)}", f"({rng.randint(1, 9)})")
        )
        return Block("paragraph", plain(f"{number} {self.writer.paragraph(rng.choice((5, 60, 150)))}"))

    def letterhead(self) -> tuple[Part, ...]:
        """A sender's small line above an address, or a small note below it."""
        name = self.writer.title(1, 3)
        small = Block(
            "small",
            plain(f"{name}, {self.rng.choice(LAST)} Street {self.rng.randint(1, 99)}, {self.rng.choice(PLACES)}"),
        )
        return self.rng.choice(((small, self.address()), (self.address(), small), (self.short(), small)))

    def boxes(self) -> Part:
        """Narrow texts beside each other."""
        rng = self.rng
        count = rng.choice((2, 3, 4))
        texts = (self.short, self.paragraph, self.speech, self.dense, self.contact, self.bank, self.address)
        draws = [self.postal, self.postal, self.facts_in_lines, self.contact] if rng.random() < 0.5 else [*texts]
        return Group("beside", tuple((rng.choice(draws)(),) for _ in range(count)), count)

    def around(self) -> Part:
        """Texts around a box."""
        rng = self.rng
        inside: tuple[Part, ...] = (rng.choice((self.short, self.contact, self.facts_in_lines))(),)
        beside = tuple(rng.choice((self.paragraph, self.paragraph, self.short))() for _ in range(rng.randint(1, 4)))
        return Group("float", (inside, beside), 1)

    def dense(self) -> Part:
        """Text of names, places and numbers that goes on over its lines all the same."""
        rng, draw = self.rng, self.writer
        people = ", ".join(draw.person() + rng.choice(("", "¹", "²", "*")) for _ in range(rng.randint(3, 14)))
        place = f"{rng.choice(LAST)} {rng.choice(('Street', 'Road', 'Strasse'))} {rng.randint(1, 300)}, "
        place += f"{rng.randint(1000, 99999)} {rng.choice(PLACES)}"
        mark = rng.choice((" · ", "; ", ", ", " | ", " – "))
        terms = mark.join(draw.title(1, 3) for _ in range(rng.randint(4, 16)))
        mail = f"{rng.choice(FIRST).lower()}@{rng.choice(LAST).lower()}.org"
        texts = (
            people,
            f"{people}, and {draw.person()}",
            f"{rng.choice(('Keywords: ', 'Index Terms—', 'Ingredients: ', 'Tags: ', ''))}{terms}",
            f"{rng.choice('¹²³')} {draw.title(2, 5)}, {draw.title(1, 4)}, {place}, {rng.choice(PLACES)}. Email: {mail}",
            f"{people} ({rng.randint(1950, 2026)}) {draw.title(4, 14)}. {draw.title(2, 5)}, {rng.randint(1, 99)}"
            f"({rng.randint(1, 12)}):{rng.randint(1, 400)}-{rng.randint(401, 900)}. {place}, {rng.choice(PLACES)}.",
            f"{draw.paragraph(60)} {place}. {draw.paragraph(60)} https://www.{rng.choice(LAST).lower()}.com/{draw.noun()}"
            f"/{draw.noun()} {draw.sentence()}",
            draw.paragraph(rng.choice((80, 200, 400))).upper(),
            draw.title(8, 24).title(),
            ", ".join(str(rng.randint(1, 9999)) for _ in range(rng.randint(12, 60))),
            " ".join(f"{draw.title(1, 2)} {rng.randint(1, 99)}{rng.choice(';,.')}" for _ in range(rng.randint(6, 24))),
        )
        return Block(rng.choice(("paragraph", "paragraph", "centred")), plain(rng.choice(texts)))

    def page(self) -> Page:
        """A page of such texts and of prose."""
        rng = self.rng
        head, foot = (self.furniture() if rng.random() < 0.5 else ("", "", "") for _ in range(2))
        broken = (
            self.verses,
            self.keys,
            self.facts_in_lines,
            self.imprint,
            self.names,
            self.hours,
            self.receipt,
            self.contact,
            self.bank,
            self.title_page,
            self.closing,
            self.address,
            self.postal,
            self.postal,
        )
        parts: list[Part] = []
        form = rng.random() < 0.35  # without prose that shows how wide a column is
        while len(parts) < rng.randint(4, 14):
            kind = rng.random()
            if form:
                draw = rng.choice((*broken, self.boxes, self.heading, self.pairs, self.addresses, self.short))
                parts.append(draw())
                continue
            if kind < 0.35:
                draw = rng.choice(broken)
                parts += [draw() for _ in range(rng.choice((1, 1, 1, 2, 3)))]
            elif kind < 0.55:
                parts += [self.dense() for _ in range(rng.choice((1, 1, 2, 4)))]
            elif kind < 0.65:
                draw = rng.choice((self.speech, self.short, self.numbered))
                parts += [draw() for _ in range(rng.randint(2, 7))]
            elif kind < 0.7:
                parts += self.letterhead()
            elif kind < 0.78:
                parts.append(rng.choice((self.boxes, self.around))())
            elif kind < 0.93:
                parts += [self.paragraph() for _ in range(rng.choice((1, 1, 2, 3)))]
            else:
                parts.append(rng.choice((self.heading, self.items, self.addresses, self.pairs))())
        return Page(rng.choices((1, 2, 3), (6, 3, 1))[0], (), tuple(parts), head, foot)


def made(rng: random.Random) -> Page:
    """A page of texts in lines."""
    return LineTexts(rng).page()
