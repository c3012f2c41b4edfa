"""Pixtral's processor, which transformers offers only with torchvision although it needs nothing of it: one image token
per patch, a mark after each row of patches and another after the last one."""

from __future__ import annotations

from typing import Any

from transformers.processing_utils import ProcessorMixin


class PixtralProcessor(ProcessorMixin):
    """``image_processor`` and ``tokenizer`` with the name and the settings of transformers' class;
    ``spatial_merge_size`` patches per axis become one token."""

    def __init__(
        self,
        image_processor: Any = None,
        tokenizer: Any = None,
        patch_size: int = 16,
        spatial_merge_size: int = 1,
        chat_template: str | None = None,
        image_token: str = "[IMG]",
        image_break_token: str = "[IMG_BREAK]",
        image_end_token: str = "[IMG_END]",
        **kwargs: Any,
    ) -> None:
        super().__init__(image_processor, tokenizer, chat_template=chat_template)
        self.side = patch_size * spatial_merge_size
        self.image_token = image_token
        self.image_break_token = image_break_token
        self.image_end_token = image_end_token
        self.image_token_id = tokenizer.convert_tokens_to_ids(image_token)

    def _process_images(self, images: Any, **settings: Any) -> Any:
        return super()._process_images(images, **{**settings, "patch_size": self.side})

    def replace_image_token(self, image_inputs: dict[str, Any], image_idx: int, **kwargs: Any) -> str:
        height, width = image_inputs["image_sizes"][image_idx]
        row = self.image_token * (int(width) // self.side)
        return self.image_break_token.join([row] * (int(height) // self.side)) + self.image_end_token
