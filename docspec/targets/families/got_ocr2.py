"""GOT-OCR 2 in transformers' format: frame and prompt are those of its processor, which asks for formatted text (tables
and formulas in LaTeX). Its tower, SAM's, has no sdpa."""

from docspec.targets.family import Checkpoint, Family
from docspec.targets.model_profile import ModelProfile

TEMPLATE = (
    "<|im_start|>system\nYou should follow the instructions carefully and explain your answers in detail.<|im_end|>"
    "<|im_start|>user\n{% for part in messages[0].content %}{% if part.type == 'image' %}<img><imgpad></img>{{ '\\n' }}"
    "{% else %}{{ part.text }}{% endif %}{% endfor %}<|im_end|><|im_start|>assistant{{ '\\n' }}"
)

FAMILY = Family(
    model_types=("got_ocr2",),
    architecture="GotOcr2ForConditionalGeneration",
    card=ModelProfile("markdown", prompt=" OCR with format: ", crop_prompt=" OCR with format: ", max_new_tokens=4096),
    checkpoints=(Checkpoint("stepfun-ai/GOT-OCR-2.0-hf", 0.7, "Apache-2.0"),),
    template=TEMPLATE,
    vision_attention="eager",
    factor=16,
)
