"""Run by the Python of an environment that has them: clients of other projects, from their packages, unmodified.

``other_clients.py URL IMAGE PDF [NAMES]`` asks the server at ``URL`` as each of them does, and prints what each got as
one JSON object.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from PIL import Image

ANSWERS = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


def mineru(url: str, image: str, pdf: str) -> Any:
    """mineru-vl-utils' HTTP client, alone and many at a time, with the penalties that MinerU asks for."""
    from mineru_vl_utils.mineru_client import DEFAULT_SAMPLING_PARAMS
    from mineru_vl_utils.vlm_client.http_client import HttpVlmClient

    client = HttpVlmClient(server_url=url, use_tqdm=False)
    picture = Image.open(image).convert("RGB")
    one = client.predict(picture, "\nText Recognition:", DEFAULT_SAMPLING_PARAMS["[default]"])
    table = DEFAULT_SAMPLING_PARAMS["table"]
    many = asyncio.run(client.aio_batch_predict([picture] * 4, "\nTable Recognition:", table))
    streamed = "".join(client.stream_predict(picture, "\nText Recognition:"))
    return [client.model_name, one, many, streamed]


def mineru_reader(url: str, image: str, pdf: str) -> Any:
    """The same client without words beside the picture, as the bundled reader is asked, with all of MinerU's wishes."""
    from mineru_vl_utils.mineru_client import DEFAULT_SAMPLING_PARAMS
    from mineru_vl_utils.vlm_client.http_client import HttpVlmClient

    client = HttpVlmClient(server_url=url, use_tqdm=False, system_prompt="", prompt="")
    picture, wishes = Image.open(image).convert("RGB"), DEFAULT_SAMPLING_PARAMS
    each = [client.predict(picture, "", one) for one in wishes.values()]
    many = asyncio.run(client.aio_batch_predict([picture] * 6, "", wishes["[default]"]))
    return [*each, *many, "".join(client.stream_predict(picture, ""))]


def surya(url: str, image: str, pdf: str) -> Any:
    """Surya's own manager of ``llama-server``, which Marker asks: text, a layout by a schema, and what it asks where an
    answer repeats itself. Its settings are read at its import."""
    name = json.load(urlopen(f"{url}/v1/models"))["data"][0]["id"]
    os.environ |= {"SURYA_INFERENCE_URL": f"{url}/v1", "SURYA_MODEL_CHECKPOINT": name}
    os.environ["SURYA_INFERENCE_BACKEND"] = "llamacpp"
    from surya.inference import SuryaInferenceManager
    from surya.inference.schema import BatchInputItem

    schema = {"type": "object", "properties": {"n": {"enum": [1, 2]}}, "required": ["n"], "additionalProperties": False}
    picture = Image.open(image).convert("RGB")
    asked = [
        BatchInputItem(picture, "block", prompt="\n", max_tokens=64),
        BatchInputItem(picture, "block", prompt="\n", max_tokens=64, temperature=0.4, top_p=0.95),
        BatchInputItem(picture, "layout", max_tokens=64, guided_json=schema),
    ]
    found = SuryaInferenceManager().generate(asked)
    return [[one.raw.strip(), one.error, one.mean_token_prob is not None] for one in found]


def docling(url: str, image: str, pdf: str) -> Any:
    """What docling's API options for VLMs send, whole and as a stream."""
    from docling.utils.api_image_request import api_image_request, api_image_request_streaming

    picture = Image.open(image)
    address: Any = f"{url}/v1/chat/completions"
    params = {"model": "stand-in", "temperature": 0.0, "max_tokens": 4096, "stop": ["</doctag>"]}
    whole = api_image_request(picture, "Convert this page to docling.", address, timeout=60, **params)
    streamed = api_image_request_streaming(picture, "Convert this page to docling.", address, timeout=60, **params)
    return [whole.text, whole.num_tokens, whole.error, streamed.text, streamed.error]


def olmocr(url: str, image: str, pdf: str) -> Any:
    """olmocr's own request for a page and its own way to send it."""
    from olmocr.pipeline import apost, build_page_query

    async def run() -> Any:
        query = await build_page_query(pdf, 1, 1288, model_name="stand-in")
        query["temperature"] = 0.1
        status, body = await apost(f"{url}/v1/chat/completions", query)
        values = json.loads(body)
        return [status, values["choices"][0]["message"]["content"], values["usage"]["completion_tokens"]]

    return asyncio.run(run())


def docling_service(url: str, image: str, pdf: str) -> Any:
    """docling-serve's client: one call, and a job that is submitted, watched and fetched."""
    from docling.datamodel.service.options import ConvertDocumentsOptions
    from docling.service_client import DoclingServiceClient

    with DoclingServiceClient(url, api_key=os.environ["DOCSPEC_API_KEY"], poll_server_wait=1.0) as client:
        found = client.convert(pdf, page_range=(1, 1))
        job = client.submit(pdf, options=ConvertDocumentsOptions(to_formats=["md", "json", "html"]))
        later = job.result(timeout=120)
        return [
            client.health().status,
            found.status.value,
            [text.text for text in found.document.texts][:3],
            later.status.value,
            later.document.export_to_markdown() == found.document.export_to_markdown(),
            "docspec" in client.version(),
        ]


def open_webui(url: str, image: str, pdf: str) -> Any:
    """open-webui's loader for docling-serve: its class as its file has it, which asks for all that open-webui needs."""
    import ast
    import logging
    from importlib.metadata import distribution

    import requests
    from langchain_core.documents import Document

    file = Path(str(distribution("open-webui").locate_file("open_webui/retrieval/loaders/main.py")))
    tree = ast.parse(file.read_text(encoding="utf-8"))
    own = [part for part in tree.body if isinstance(part, ast.ClassDef) and part.name == "DoclingLoader"]
    names: dict[str, Any] = {"os": os, "requests": requests, "Document": Document, "log": logging.getLogger()}
    names["AIOHTTP_CLIENT_SESSION_SSL"] = True
    exec(compile(ast.Module(own, []), str(file), "exec"), names)
    found = names["DoclingLoader"](url, file_path=pdf, mime_type="application/pdf").load()
    return [[one.page_content, one.metadata["page"]] for one in found]


CLIENTS: dict[str, Callable[[str, str, str], Any]] = {"mineru": mineru, "docling": docling, "olmocr": olmocr}
READERS = {"mineru-reader": mineru_reader, "surya": surya}
SERVICES = {"docling-service": docling_service, "open-webui": open_webui}


def main(url: str, image: str, pdf: str, *names: str) -> None:
    found = {name: {**CLIENTS, **READERS, **SERVICES}[name](url, image, pdf) for name in names or CLIENTS}
    print(json.dumps(found), file=ANSWERS, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
