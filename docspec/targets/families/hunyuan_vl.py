"""HunyuanOCR and 1.5, published under the same name and of the same class: whole pages in one pass; prompts are those
of Tencent-Hunyuan/HunyuanOCR (``inference/utils/tasks.py``). Positions have four axes; an image takes as many of them
as it has tokens."""

from docspec.targets.family import Checkpoint, Family, PublishedSight
from docspec.targets.model_profile import ModelProfile

FAMILY = Family(
    model_types=("hunyuan_vl",),
    architecture="HunYuanVLForConditionalGeneration",
    card=ModelProfile(
        "markdown",
        prompt=(
            "提取文档图片中正文的所有信息用markdown格式表示，其中页眉、页脚部分忽略，表格用html格式表达，"
            "文档中公式用latex格式表示，按照阅读顺序组织进行解析。"
        ),
        region_prompts={
            "text": "提取图中的文字。",
            "table": "把图中的表格解析为HTML。",
            "formula": "识别图片中的公式，用LaTeX格式表示。",
            "chart": "解析图中的图表，对于流程图使用Mermaid格式表示，其他图表使用Markdown格式表示。",
        },
        max_new_tokens=16_384,
    ),
    checkpoints=(Checkpoint("tencent/HunyuanOCR", 1.0, "Tencent Hunyuan Community", gguf="ggml-org/HunyuanOCR-GGUF"),),
    sight=PublishedSight(32, 262_144, 4_194_304),
)
