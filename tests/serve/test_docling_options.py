"""What clients of docling-serve may ask for beyond one document in one answer: archives, pieces, passwords, languages,
pictures, several files; and what this gateway tells of its routes."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from collections.abc import Iterator

import httpx
import pymupdf
import pytest
from PIL import Image

from docspec.serve.exports import zipped
from docspec.serve.refusal import Refusal
from docspec.serve.wishes import wishes_in
from tests.serve.processes import Served, gateway, stand_in
from tests.serve.test_documents import ended, pdf_of, upload

ONE = {"X-Api-Key": "one"}


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with stand_in() as upstream, gateway("--upstream", upstream.url, "--api-key", "one", "--api-key", "two") as found:
        yield found


def archive(answer: httpx.Response) -> dict[str, str]:
    assert answer.headers["content-type"] == "application/zip", answer.text
    with zipfile.ZipFile(io.BytesIO(answer.content)) as opened:
        return {name: opened.read(name).decode() for name in opened.namelist()}


def test_an_archive_has_a_file_for_each_format(served: Served) -> None:
    found = archive(
        upload(served, "/v1/convert/file", pdf_of("Some words"), to_formats=["md", "json"], target_type="zip")
    )
    assert set(found) == {"a.md", "a.json"} and "Some words" in found["a.md"]
    assert json.loads(found["a.json"])["schema_name"] == "DoclingDocument"
    task = upload(served, "/v1/convert/file/async", pdf_of("Later"), target_type="zip").json()["task_id"]
    ended(served, task)
    assert "Later" in archive(served.get(f"/v1/result/{task}", headers=ONE))["a.md"]


def test_several_files_come_as_one_archive_and_one_that_fails_says_why(served: Served) -> None:
    files = [
        ("files", (name, data)) for name, data in (("x.pdf", pdf_of("One")), ("x.pdf", pdf_of("Two")), ("y.pdf", b""))
    ]
    answer = httpx.post(f"{served.url}/v1/convert/file", files=files, headers=ONE, timeout=120)
    found = archive(answer)
    assert sorted(found) == ["document.errors.json", "x-2.md", "x.md"]
    assert "One" in found["x.md"] and "Two" in found["x-2.md"]
    assert json.loads(found["document.errors.json"])["failure"]["category"] == "empty"
    sources = [{"kind": "file", "base64_string": base64.b64encode(pdf_of(text)).decode()} for text in ("A", "B")]
    answer = httpx.post(f"{served.url}/v1/convert/source", json={"sources": sources}, headers=ONE, timeout=120)
    assert len(archive(answer)) == 2
    later = httpx.post(f"{served.url}/v1/convert/file/async", files=files, headers=ONE, timeout=120)
    assert later.status_code == 422


def test_names_in_an_archive_are_no_paths() -> None:
    names = ["../../etc.pdf", "..", ".hidden.pdf", "a"]
    answers = [{"document": {"filename": name.rpartition("/")[2], "md_content": "x"}} for name in names]
    with zipfile.ZipFile(io.BytesIO(zipped(answers))) as opened:
        assert not any("/" in name or name.startswith(".") or not name for name in opened.namelist())
        assert len(set(opened.namelist())) == len(names)


@pytest.mark.parametrize("kind", ["hybrid", "hierarchical"])
def test_a_document_comes_in_pieces(served: Served, kind: str) -> None:
    data = pdf_of("First words", "Second words")
    values = upload(
        served, f"/v1/chunk/{kind}/file", data, chunking_max_tokens="64", convert_page_range=["2", "2"]
    ).json()
    [piece] = values["chunks"]
    assert piece["page_numbers"] == [2] and "Second words" in piece["raw_text"] and piece["chunk_index"] == 0
    assert piece["filename"] == "a.pdf" and values["convert_details"][0]["status"] == "success"
    assert "chunking_max_tokens" in values["warnings"][0]
    source = {"kind": "file", "base64_string": base64.b64encode(data).decode(), "filename": "b.pdf"}
    body = {"sources": [source], "convert_options": {"page_range": [1, 1]}, "chunking_options": {"max_tokens": 9}}
    task = httpx.post(f"{served.url}/v1/chunk/{kind}/source/async", json=body, headers=ONE).json()
    assert task["task_type"] == "chunk"
    ended(served, task["task_id"])
    values = served.get(f"/v1/result/{task['task_id']}", headers=ONE).json()
    assert "First words" in values["chunks"][0]["text"] and len(values["chunks"]) == 1


def encrypted(text: str, password: str) -> bytes:
    with pymupdf.open() as document:
        document.new_page().insert_text((60, 60), text)
        data: bytes = document.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw=password, owner_pw="owner")
    return data


def test_a_password_has_a_field_and_failures_have_categories(served: Served) -> None:
    data = encrypted("Secret words", "sesame")
    answer = upload(served, "/v1/convert/file", data, pdf_password="sesame").json()
    assert "Secret words" in answer["document"]["md_content"]
    for form, said in (({}, "give its password with pdf_password"), ({"pdf_password": "x"}, "wrong password")):
        failure = upload(served, "/v1/convert/file", data, **form).json()["failure"]
        assert failure["category"] == "encrypted" and said in failure["message"]
    assert upload(served, "/v1/convert/file", b"").json()["failure"]["category"] == "empty"
    assert upload(served, "/v1/convert/file", b"nonsense").json()["failure"]["category"] == "unreadable"


def test_results_are_cleared_by_their_own_client(served: Served) -> None:
    task = upload(served, "/v1/convert/file/async", pdf_of("Words")).json()["task_id"]
    ended(served, task)
    two = {"X-Api-Key": "two"}
    assert served.get("/v1/clear/results?older_then=0", headers=two).json() == {"status": "ok"}
    assert served.get("/v1/clear/results", headers=ONE).status_code == 200
    assert served.get(f"/v1/result/{task}", headers=ONE).status_code == 200, "not so old"
    assert served.get("/v1/clear/results?older_then=0", headers=ONE).json() == {"status": "ok"}
    assert served.get(f"/v1/result/{task}", headers=ONE).status_code == 404
    assert served.get("/v1/clear/results?older_then=x", headers=ONE).status_code == 422
    assert served.get("/v1/clear/converters", headers=ONE).json() == {"status": "ok"}
    assert served.get("/v1/clear/results").status_code == 401


def test_pictures_are_in_the_text_where_they_are_asked_for(served: Served) -> None:
    shown = io.BytesIO()
    Image.effect_noise((320, 240), 90).convert("RGB").save(shown, "PNG")
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_textbox((60, 60, 500, 200), "Some words of the page above a photograph. " * 8)
        page.insert_image((100, 260, 420, 500), stream=shown.getvalue())
        data = document.tobytes()
    plain = upload(served, "/v1/convert/file", data).json()["document"]["md_content"]
    embedded = upload(served, "/v1/convert/file", data, image_export_mode="embedded").json()["document"]["md_content"]
    assert "data:image/png;base64," in embedded and "data:image" not in plain


def test_options_become_wishes_and_what_is_not_done_is_said() -> None:
    found = wishes_in({"ocr_lang": ["de", "fra"], "image_export_mode": ["embedded"], "do_ocr": ["false"]})
    assert (found.language, found.pictures, found.recognise, found.warnings) == ("deu+fra", True, "never", ())
    assert wishes_in({"ocr_lang": ["auto"]}).language is None
    [said] = wishes_in({"ocr_lang": ["klingon"]}).warnings
    assert said.startswith("ocr_lang: ")
    warnings = wishes_in({"image_export_mode": ["referenced"], "pdf_backend": ["x"], "typo": ["1"]}).warnings
    assert [line.partition(":")[0] for line in warnings] == ["pdf_backend", "typo", "image_export_mode"]
    with pytest.raises(Refusal, match="document_timeout"):
        wishes_in({"document_timeout": ["soon"]})


def test_the_routes_are_described_for_programs_and_for_people(served: Served) -> None:
    described = served.get("/openapi.json").json()
    assert described["openapi"].startswith("3.1") and "post" in described["paths"]["/v1/convert/file"]
    properties = described["paths"]["/v1/convert/file"]["post"]["requestBody"]["content"]["multipart/form-data"]
    assert {"files", "force_ocr", "pdf_password"} <= set(properties["schema"]["properties"])
    assert described["paths"]["/v1/status/poll/{name}"]["delete"]["parameters"][0]["name"] == "name"
    names = [one["operationId"] for path in described["paths"].values() for one in path.values()]
    assert len(set(names)) == len(names) and all(
        one["summary"] for path in described["paths"].values() for one in path.values()
    )
    page = served.get("/docs")
    assert page.headers["content-type"].startswith("text/html") and "/v1/chunk/hybrid/file" in page.text
    assert "<script" not in page.text
