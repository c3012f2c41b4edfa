"""Chat templates of GGUF files: where the picture stands, found by leaving it out."""

from __future__ import annotations

from functools import partial

import pytest
from jinja2 import Environment

from docspec.core import ModelError
from docspec.generation.llama import prompt_encoder
from docspec.generation.llama.prompt_encoder import Framed, frame, frame_chat

QWEN = (
    "{%- for message in messages %}<|im_start|>{{ message.role }}\n{% for part in message.content %}"
    "{% if part.type == 'image' %}<|vision_start|><|image_pad|><|vision_end|>{% else %}{{ part.text }}{% endif %}"
    "{% endfor %}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
FIRST = (
    "{{ bos_token }}{% for part in messages[0].content if part.type == 'image' %}<image>\n{% endfor %}"
    "{% for part in messages[0].content if part.type == 'text' %}{{ part.text }}{% endfor %}"
)
START = "<|im_start|>user\n"
END = "<|im_end|>\n<|im_start|>assistant\n"


def test_the_picture_stands_before_the_text_or_where_the_prompt_says() -> None:
    assert frame(QWEN, "Read.", True) == Framed(START, f"Read.{END}", True)
    assert frame(QWEN, "Read {image} it.", True) == Framed(f"{START}Read ", f" it.{END}", True)
    assert frame(QWEN, "", True) == Framed(START, END, True)
    assert frame(QWEN, "<|vision_start|>", True) == Framed(START, f"<|vision_start|>{END}", True)


def test_text_alone_is_framed_too() -> None:
    assert frame(QWEN, "Hello.", False) == Framed(f"{START}Hello.{END}", "", True)


def test_white_space_around_the_picture_and_the_first_token_are_the_templates_own() -> None:
    assert frame(FIRST, "Read.", True, "<s>") == Framed("<s>", "\nRead.", False)


@pytest.mark.parametrize("shown", ["'<|user|>' + m.content + '<|end|>'", "'<|user|>' ~ m.content ~ '<|end|>'"])
def test_templates_that_take_messages_as_one_text_have_the_picture_in_it(shown: str) -> None:
    """Parts of a message are an error to the first kind; the second would write them out as Python does."""
    template = f"{{% for m in messages %}}{{{{ {shown} }}}}{{% endfor %}}<|assistant|>"
    end = "<|end|><|assistant|>"
    assert frame(template, "Read.", True) == Framed("<|user|>", f"Read.{end}", True)
    assert frame(template, "Read {image} it.", True) == Framed("<|user|>Read ", f" it.{end}", True)
    assert frame(template, "Hello.", False) == Framed(f"<|user|>Hello.{end}", "", True)


@pytest.mark.parametrize(
    ("template", "why"),
    [
        ("{{ messages[0].content[-1].text }}", "shows no picture"),
        ("{{ messages[0].nothing.more }}", "fails"),
        ("{{ 'Hello' if messages[0].content is string else 1 / 0 }}", "leaves the prompt out"),
        ("{{ raise_exception('no pictures') }}", "no pictures"),
        ("{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}", "did not end"),
    ],
)
def test_templates_that_cannot_be_used_are_refused_in_a_line(
    template: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prompt_encoder, "rendered", partial(prompt_encoder.rendered, seconds=0.5))
    with pytest.raises(ModelError, match=why) as raised:
        frame(template, "Read.", True)
    assert "\n" not in str(raised.value)


def message(role: str, *parts: str) -> dict[str, object]:
    """A message whose parts are texts; ``{}`` is an image."""
    kinds = [{"type": "image"} if part == "{}" else {"type": "text", "text": part} for part in parts]
    return {"role": role, "content": kinds}


TEXTS = (
    "{% for message in messages %}[{{ message.role }}]{{ message.content }}{% endfor %}"
    "{% if add_generation_prompt %}[assistant]{% endif %}"
)


def test_a_conversation_is_one_text_a_message_as_llama_server_has_it() -> None:
    """Its sources join parts by line feeds, but for images (``common/chat.cpp``)."""
    asked = [message("system", "Be exact."), message("user", "Look:", "{}", "Read.", "All of it.")]
    assert frame_chat(TEXTS, asked) == Framed("[system]Be exact.[user]Look:", "Read.\nAll of it.[assistant]", True)
    assert frame_chat(TEXTS, asked[:1]) == Framed("[system]Be exact.[assistant]", "", True)
    assert frame_chat("{{ bos_token }}" + TEXTS, asked[:1], "<s>").add_bos is False


def test_a_template_that_takes_parts_alone_gets_them() -> None:
    assert frame_chat(QWEN, [message("user", "{}", "Read.")]) == Framed(START, f"Read.{END}", True)


def test_a_template_that_leaves_the_question_out_is_said() -> None:
    with pytest.raises(ModelError, match="leaves the prompt out"):
        frame_chat("{{ messages[0].role }}", [message("user", "Read.")])


def test_a_template_is_compiled_for_the_first_conversation_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = []
    compile_one = Environment.compile
    monkeypatch.setattr(Environment, "compile", lambda *given: compiled.append(given) or compile_one(*given))
    template = TEXTS + "{# a template that no other test has #}"
    shown = [frame_chat(template, [message("user", text)]).before for text in ("one", "two", "three")]
    assert shown == [f"[user]{text}[assistant]" for text in ("one", "two", "three")] and len(compiled) == 1
