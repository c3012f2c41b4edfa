"""No control character, lone surrogate or line of a foreign message leaves docspec."""

from __future__ import annotations

import json
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from docspec.core.safe_text import dump_json, first_line, one_line, safe_text

ANY = st.text(st.characters(exclude_categories=()), max_size=30)
HOSTILE = "a\x1b[31m\x07\x00\x9b2Jb\ud83dc\x7fd"


def harmless(text: str) -> bool:
    return all(char in "\t\n\r" or unicodedata.category(char) not in ("Cc", "Cs") for char in text)


@given(ANY)
def test_only_controls_and_surrogates_are_replaced(text: str) -> None:
    safe = safe_text(text)
    assert harmless(safe) and safe.encode("utf-8").decode("utf-8") == safe
    assert all(new in (old, "\ufffd", "\n") for old, new in zip(text, safe, strict=True))
    assert safe_text(safe) == safe
    if harmless(text) and "\r" not in text:
        assert safe == text


def test_line_breaks_stay_and_a_lone_carriage_return_is_one() -> None:
    assert safe_text("a\tb\r\nc\nd\re\u2028f\r") == "a\tb\r\nc\nd\ne\u2028f\n"
    assert safe_text(HOSTILE) == "a�[31m���2Jb�c�d"


def strings(value: object) -> list[str]:
    if isinstance(value, dict):
        return [*value, *strings(list(value.values()))]
    if isinstance(value, list):
        return [text for item in value for text in strings(item)]
    return [value] if isinstance(value, str) else []


@given(st.recursive(ANY | st.none(), lambda inner: st.dictionaries(ANY, inner) | st.lists(inner)))
def test_json_cannot_bring_them_as_escapes_either(value: object) -> None:
    assert all(map(harmless, strings(json.loads(dump_json(value)))))


@given(ANY.map(lambda text: f"{text}\u2028\u2029"))
def test_a_line_of_json_is_one_line(text: str) -> None:
    assert len(dump_json(text).splitlines()) == 1
    assert json.loads(dump_json(text)) == safe_text(text)


@given(ANY)
def test_a_message_is_one_printable_line(text: str) -> None:
    line = one_line(text)
    assert all(char.isprintable() or char in "\u200c\u200d" for char in line)
    assert line == line.strip() and line.encode("utf-8").decode() == line


def test_messages_cannot_be_turned_round_or_broken() -> None:
    assert one_line("a\u202egpj.exe\u2028b\x85c\u2066d caf\udce9.pdf") == "a gpj.exe b c d caf\ufffd.pdf"


def test_the_first_line_of_an_error_or_its_type() -> None:
    assert first_line(ValueError("\n one\ntwo")) == "one"
    assert first_line(KeyError()) == "KeyError"
