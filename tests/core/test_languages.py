"""Languages are named as people name them; an unknown name is answered with those that are near it."""

from __future__ import annotations

from collections import Counter

import pytest

from docspec.core import ParseOptions, UsageError
from docspec.core.languages import LANGUAGES, language_of, languages_of
from docspec.core.scripts import NAMES, alphabet_of


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("de", "deu"),
        ("DEU", "deu"),
        ("ger", "deu"),
        ("German", "deu"),
        ("deutsch", "deu"),
        ("русский", "rus"),
        ("pt-BR", "por"),
        ("zh", "chi_sim"),
        ("zh_Hant_TW", "chi_tra"),
        ("zh-CN", "chi_sim"),
        ("ko", "kor"),
    ],
)
def test_codes_names_and_tags_name_a_language(said: str, code: str) -> None:
    found = language_of(said)
    assert found is not None and found.code == code


def test_several_languages_are_joined_by_a_plus_and_auto_is_none() -> None:
    assert [language.code for language in languages_of("de+ara+german")] == ["deu", "ara"]
    assert languages_of("auto") == languages_of(" AUTO ") == ()
    assert [language.name for language in ParseOptions(language="ja+en").languages] == ["Japanese", "English"]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("rusian", r"'rusian'; near it are rus \(Russian\)"),
        ("deu+germn", r"'germn'; near it are deu \(German\)"),
        ("klingon", r"'klingon'; use a code or an English name"),
        ("deu+", r"no language is called ''"),
    ],
)
def test_an_unknown_language_is_a_wrong_usage_and_names_those_near(said: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        ParseOptions(language=said)


def test_every_spelling_names_one_language_and_every_script_has_a_name() -> None:
    spellings = Counter(spelling for language in LANGUAGES for spelling in language.spellings)
    assert [spelling for spelling, count in spellings.items() if count > 1] == []
    assert {language.script for language in LANGUAGES} <= set(NAMES.values())


def test_an_alphabet_has_letters_marks_and_digits() -> None:
    assert set("Щё0, ") <= alphabet_of(["Cyrillic"]) and "α" not in alphabet_of(["Cyrillic"])
    assert set("क्षि१") <= alphabet_of(["Devanagari"])
