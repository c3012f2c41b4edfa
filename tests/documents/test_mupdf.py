"""PyMuPDF comes without what it would load at once, and with all of it for those who ask."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import pytest

from docspec.documents.mupdf import mupdf

pytestmark = pytest.mark.skipif(find_spec("pymupdf4llm") is None, reason="pymupdf4llm is not installed")

PROGRAM = """
import sys
from docspec.documents.mupdf import load_layout_model, mupdf
pymupdf = mupdf()
assert not {"pymupdf4llm.helpers", "onnxruntime"} & set(sys.modules), "nobody asked for them"
with pymupdf.open() as pdf:
    pdf.new_page().insert_text((72, 72), "A harbour")
    if sys.argv[1] == "import":
        import pymupdf4llm
        written = pymupdf4llm.to_markdown(pdf)
    else:
        load_layout_model()
        written = pymupdf.pymupdf4llm.to_markdown(pdf)
assert "A harbour" in written
assert sys.modules["pymupdf4llm"]._use_layout and pymupdf._get_layout is not None
"""


@pytest.mark.parametrize("use", ["import", "attribute"])
def test_pymupdf4llm_is_loaded_with_its_layout_model_when_somebody_uses_it(use: str) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, use], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_boxes_of_lines_do_not_depend_on_whether_pymupdf4llm_is_installed() -> None:
    program = """
import sys
if sys.argv[1] == "absent":
    sys.modules["pymupdf4llm"] = None
from docspec.documents.mupdf import mupdf
pymupdf = mupdf()
with pymupdf.open() as pdf:
    page = pdf.new_page()
    page.insert_text((72, 72), "A harbour", fontname="china-s")
    print(page.get_text("dict")["blocks"][0]["lines"][0]["bbox"])
"""
    boxes = {
        subprocess.run([sys.executable, "-c", program, how], capture_output=True, text=True, check=True).stdout
        for how in ("absent", "installed")
    }
    assert len(boxes) == 1
    assert mupdf().TOOLS.unset_quad_corrections() is True
