from docspec.targets.card import TargetCard
from docspec.targets.family import Family

TEMPLATE = (
    "<|im_start|>system\nYou should follow the instructions carefully and explain your answers in detail.<|im_end|>"
    "<|im_start|>user\n<img><imgpad></img>\n{{ messages[0].content[1].text }}<|im_end|><|im_start|>assistant{{ '\\n' }}"
)

FAMILY = Family(
    model_types=("got_ocr2",),
    architecture="GotOcr2ForConditionalGeneration",
    card=TargetCard("markdown"),
    factor=16,
    vision_attention="eager",
    template=TEMPLATE,
)
