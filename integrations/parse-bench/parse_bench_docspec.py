"""docspec as pipelines of ParseBench (https://parsebench.ai), scored by its own harness:

    python integrations/parse-bench/parse_bench_docspec.py run docspec --input_dir FOLDER

The arguments are those of the command ``parse-bench``, which has no way to load pipelines of other packages by itself.
``docspec`` reads without a model; ``docspec_model`` has the model of ``$DOCSPEC_MODEL`` or of the server at
``$DOCSPEC_SERVER`` read every page. Markdown is given, page by page, with tables as HTML: the scorer of tables sees no
others. Boxes for the visual grounding are not given.
"""

from __future__ import annotations

import os
import threading
from datetime import datetime
from typing import Any

from parse_bench.cli import main
from parse_bench.inference.pipelines import register_pipeline
from parse_bench.inference.providers.base import Provider, ProviderPermanentError
from parse_bench.inference.providers.registry import register_provider
from parse_bench.schemas.parse_output import PageIR, ParseOutput
from parse_bench.schemas.pipeline import PipelineSpec
from parse_bench.schemas.pipeline_io import InferenceRequest, InferenceResult, RawInferenceResult

from docspec import DocspecError, ParseOptions, Parser
from docspec.reporting.htmltable import with_html_tables
from docspec.retrieval import passages

MODEL = {name: value for name in ("model", "server") if (value := os.environ.get(f"DOCSPEC_{name.upper()}"))}
PIPELINES: dict[str, dict[str, Any]] = {"docspec": {}, "docspec_model": {**MODEL, "words": "model"}}


@register_provider("docspec")
class DocspecProvider(Provider):
    """One parser for all documents; the harness's threads take turns."""

    def __init__(self, provider_name: str, base_config: dict[str, Any] | None = None) -> None:
        super().__init__(provider_name, base_config)
        self._parser = Parser(ParseOptions(**(base_config or {})), images=False)
        self._turn = threading.Lock()

    def run_inference(self, pipeline: PipelineSpec, request: InferenceRequest) -> RawInferenceResult:
        """The pages' Markdown. Seconds of waiting for other documents are not counted."""
        with self._turn:
            began = datetime.now()
            try:
                found = passages(self._parser.pages(request.source_file_path), "page")
                texts = {int(one.metadata["page"]): with_html_tables(one.text) for one in found}
            except DocspecError as error:
                raise ProviderPermanentError(str(error)) from error
            ended = datetime.now()
        return RawInferenceResult(
            request=request,
            pipeline=pipeline,
            pipeline_name=pipeline.pipeline_name,
            product_type=request.product_type,
            raw_output={"pages": [{"page_index": number - 1, "text": text} for number, text in texts.items()]},
            started_at=began,
            completed_at=ended,
            latency_in_ms=int((ended - began).total_seconds() * 1000),
        )

    def normalize(self, raw_result: RawInferenceResult) -> InferenceResult:
        """The same as ParseBench's scorers take it."""
        pages = [
            PageIR(page_index=page["page_index"], markdown=page["text"]) for page in raw_result.raw_output["pages"]
        ]
        output = ParseOutput(
            example_id=raw_result.request.example_id,
            pipeline_name=raw_result.pipeline_name,
            pages=pages,
            markdown="\n\n".join(page.markdown for page in pages),
        )
        kept = {name: getattr(raw_result, name) for name in InferenceResult.model_fields if hasattr(raw_result, name)}
        return InferenceResult(**{**kept, "output": output})


for name, options in PIPELINES.items():
    register_pipeline(PipelineSpec(pipeline_name=name, provider_name="docspec", product_type="parse", config=options))

if __name__ == "__main__":
    main()
