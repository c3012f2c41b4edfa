from docspec.targets.card import TargetCard
from docspec.targets.family import Family

TEMPLATE = "<image>\n{{ messages[0].content[1].text }}"

FAMILY = Family(
    model_types=("deepseek_ocr2",),
    architecture="DeepseekOcr2ForConditionalGeneration",
    card=TargetCard("markdown"),
    factor=16,
    template=TEMPLATE,
)
