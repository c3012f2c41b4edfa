"""Any draft tokenises and comes back; the prompt is one image."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from training.reader import tokenizer as tok

TOKENIZER = tok.train_tokenizer()


@given(st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_unicode_text_round_trips(text: str) -> None:
    for mark in tok.SPECIAL_TOKENS:
        text = text.replace(mark, "")
    ids = TOKENIZER(text, add_special_tokens=False)["input_ids"]
    assert TOKENIZER.decode(ids) == text


@given(st.binary(max_size=60))
@settings(max_examples=100, deadline=None)
def test_any_bytes_read_as_latin_1_round_trip(data: bytes) -> None:
    text = data.decode("latin-1")
    assert TOKENIZER.decode(TOKENIZER(text, add_special_tokens=False)["input_ids"]) == text


def test_special_tokens_have_the_ids_the_configuration_names() -> None:
    assert TOKENIZER.convert_tokens_to_ids(list(tok.SPECIAL_TOKENS)) == list(range(7))
    assert len(TOKENIZER) <= tok.VOCAB_SIZE


def test_every_byte_is_in_the_vocabulary() -> None:
    singles = [token for token in TOKENIZER.get_vocab() if len(token) == 1]
    assert len(singles) == 256


def test_the_prompt_is_the_image_and_a_line_break() -> None:
    image = "<|vision_start|><|image_pad|><|image_pad|><|vision_end|>"
    assert TOKENIZER.decode(tok.prompt_ids(TOKENIZER, 2)) == f"{image}\n"
    asked = TOKENIZER.decode(tok.prompt_ids(TOKENIZER, 2, prompt="Read."))
    assert asked == f"{image}Read.\n", "who asks something is shown to have asked"
