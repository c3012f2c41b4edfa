"""Loaders that hand documents to docling-serve: open-webui's own class from its package, and what RAGFlow's parser and
n8n's nodes send. RAGFlow is on no index and n8n's nodes for docling are not on npm: their requests are those of their
sources (``deepdoc/parser/docling_parser.py``; ``DoclingServe.node.ts``, and n8n's own node for HTTP requests).
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serve.processes import ROOT, Served, gateway
from tests.serve.test_documents import pdf_of

PYTHON = os.environ.get("DOCSPEC_CLIENTS_PYTHON")


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with gateway("--upstream", "http://127.0.0.1:9") as found:
        yield found


@pytest.mark.skipif(PYTHON is None, reason="DOCSPEC_CLIENTS_PYTHON names no Python that has open-webui")
def test_open_webuis_loader_gets_a_document_for_each_page(served: Served, tmp_path: Path) -> None:
    file = tmp_path / "three.pdf"
    file.write_bytes(pdf_of("First words", "", "Third words"))
    script = ROOT / "tests" / "serve" / "other_clients.py"
    ran = subprocess.run(
        [str(PYTHON), str(script), served.url, "none", str(file), "open-webui"],
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    assert json.loads(ran.stdout)["open-webui"] == [["First words", 0], ["Third words", 2]]


def test_form_feeds_between_pages_are_the_requests_own_alone(served: Served) -> None:
    """open-webui's request, whatever its loader makes of the answer."""
    form = {"image_export_mode": "placeholder", "md_page_break_placeholder": "\f", "to_formats": ["md", "json"]}
    files = {"files": ("a.pdf", pdf_of("One", "Two"), "application/pdf")}
    answer = httpx.post(f"{served.url}/v1/convert/file", files=files, data=form, timeout=60).json()
    pages = answer["document"]["md_content"].split("\f")
    assert [page.strip() for page in pages] == ["One", "Two"] and "warnings" not in answer
    places = [item["prov"][0]["page_no"] for item in answer["document"]["json_content"]["texts"]]
    assert places == [1, 2]


def test_ragflows_parser_finds_the_server_and_gets_the_text(served: Served) -> None:
    """It looks for a route, asks for pieces in a way that docling-serve ignores, and reads the document."""
    assert httpx.head(f"{served.url}/openapi.json").status_code == 200
    options = {
        "from_formats": ["pdf"],
        "to_formats": ["json", "md", "text"],
        "do_chunking": True,
        "chunking_options": {"max_tokens": 512, "overlap": 50, "tokenizer": "sentencepiece"},
    }
    data = base64.b64encode(pdf_of("Words for RAGFlow")).decode()
    asked = {"options": options, "sources": [{"kind": "file", "filename": "a.pdf", "base64_string": data}]}
    answer = httpx.post(f"{served.url}/v1/convert/source", json=asked, timeout=60).json()
    assert "Words for RAGFlow" in answer["document"]["md_content"] and "chunks" not in answer
    assert sorted(line.partition(":")[0] for line in answer["warnings"]) == ["chunking_options", "do_chunking"]
    older = httpx.post(f"{served.url}/v1alpha/convert/source", json=asked, timeout=60)
    assert older.status_code == 404, "it goes on with the next route"


@pytest.mark.parametrize(
    ("field", "form"),
    [("file", {"options": json.dumps({"from_formats": ["pdf"], "to_formats": ["md"]})}),
     ("files", {"to_formats": "md", "do_ocr": "false", "abort_on_error": "false"})],
)  # fmt: skip
def test_n8ns_nodes_get_the_text(served: Served, field: str, form: dict[str, Any]) -> None:
    files = {field: ("invoice.pdf", pdf_of("Words for n8n"), "application/pdf")}
    answer = httpx.post(f"{served.url}/v1/convert/file", files=files, data=form, timeout=60).json()
    assert "Words for n8n" in answer["document"]["md_content"] and answer["status"] == "success"
