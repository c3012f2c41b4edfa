"""Reads a document through ``docspec serve``: page images go to a model's server, with drafts from the document's text.

docspec serve --upstream http://gpu:8000 &
python examples/gateway_client.py http://127.0.0.1:8080 report.pdf
"""

import base64
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pymupdf
from openai import OpenAI

PROMPT = "Convert this page to Markdown."


def read(gateway: str, document: Path, key: str = "none") -> Iterator[tuple[str, str]]:
    """The model's answer for each page, and where the gateway had its drafts from (``none``: nowhere)."""
    with document.open("rb") as file:  # its words, so that nothing has to be recognised; scans need no upload
        keys = {"Authorization": f"Bearer {key}"}
        httpx.post(f"{gateway}/v1/drafts", files={"files": file}, headers=keys, timeout=60).raise_for_status()
    client = OpenAI(base_url=f"{gateway}/v1", api_key=key)
    model = client.models.list().data[0].id
    with pymupdf.open(document) as pages:
        for page in pages:
            image = base64.b64encode(page.get_pixmap(dpi=200).tobytes("png")).decode()
            content = [
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{image}"}},
                {"type": "text", "text": PROMPT},
            ]
            messages: Any = [{"role": "user", "content": content}]
            ask = client.chat.completions.with_raw_response.create  # with the headers of the answer
            answer = ask(model=model, messages=messages, temperature=0)
            yield answer.parse().choices[0].message.content or "", answer.headers["x-docspec-drafts"]


if __name__ == "__main__":
    for text, drafts in read(sys.argv[1], Path(sys.argv[2])):
        print(text)
        print("drafts:", drafts, file=sys.stderr)
