"""The reader's byte-level BPE tokenizer.

All 256 bytes are in the vocabulary, so any draft tokenises and every string round-trips; the vocabulary is
small because a reader trained for minutes learns 400 rows of an embedding much sooner than 4,000. The special
tokens are those of Qwen3-VL, with ids 0-6; the chat template adds a line break and no roles.
"""

from __future__ import annotations

from collections.abc import Iterable

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

SPECIAL_TOKENS = (
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|image_pad|>",
    "<|video_pad|>",
)
ENDOFTEXT, IM_START, IM_END, VISION_START, VISION_END, IMAGE_PAD, VIDEO_PAD = range(7)
VOCAB_SIZE = 400
PROMPT = ""
"""The reader does one thing and needs no word about it: every token of a prompt is prefilled for every crop."""

CHAT_TEMPLATE = (
    "{%- for message in messages %}"
    "{%- if message['content'] is string %}{{ message['content'] }}"
    "{%- else %}{%- for part in message['content'] %}"
    "{%- if part['type'] == 'image' %}<|vision_start|><|image_pad|><|vision_end|>"
    "{%- elif part['type'] == 'text' %}{{ part['text'] }}{%- endif %}{%- endfor %}{%- endif %}{%- endfor %}"
    "{%- if add_generation_prompt %}{{ '\\n' }}{%- endif %}"
)

BUILT_IN_TEXT = (
    "# The reader\n\n## What it does\n\nA page of print is looked at once, and then its words are "
    "written down in the order in which a person would read them, from the top of the first column "
    "to the end of the last.\n\n- items of a list\n- stand one on a line\n\n1. first\n2. second\n\n| a | b "
    "|\n| --- | --- |\n| 10 | 20 |\n\nThe house stood at the end of the road, and they were all there "
    "when the morning came with rain and a little wind from the north. There is more information "
    "about this question in the second section, which should have been written before the others."
)


def train_tokenizer(texts: Iterable[str] = (BUILT_IN_TEXT,), vocab_size: int = VOCAB_SIZE) -> PreTrainedTokenizerFast:
    """Train the byte-level BPE on `texts`; at most `vocab_size` entries with the special tokens and the 256
    bytes."""
    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    core.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=list(SPECIAL_TOKENS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    core.train_from_iterator(texts, trainer=trainer)
    return wrap(core)


def wrap(core: Tokenizer) -> PreTrainedTokenizerFast:
    """The transformers tokenizer around a trained core, with special tokens and chat template."""
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=core,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        additional_special_tokens=list(SPECIAL_TOKENS[1:]),
        clean_up_tokenization_spaces=False,
        model_max_length=8192,
    )
    tokenizer.chat_template = CHAT_TEMPLATE
    return tokenizer


def prompt_ids(tokenizer: PreTrainedTokenizerFast, image_tokens: int, prompt: str = PROMPT) -> list[int]:
    """Token ids up to where the answer begins, with `image_tokens` placeholders for the image."""
    text = tokenizer.apply_chat_template(
        [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": prompt}]}],
        tokenize=False,
        add_generation_prompt=True,
    )
    text = text.replace("<|image_pad|>", "<|image_pad|>" * image_tokens)
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])
