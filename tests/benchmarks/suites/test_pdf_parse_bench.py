"""The suite of pdf-parse-bench reads tables of LaTeX as a person does, and scores what was written for them."""

from __future__ import annotations

import json
from pathlib import Path

import pymupdf
import pytest

from benchmarks.latex_tables import tabular
from benchmarks.suites.pdf_parse_bench import PdfParseBench, truth_in
from benchmarks.suites.registry import suite_in
from docspec.core import InputError

SPANNED = r"""\begin{tabular}{l|cc@{}}
  \toprule
  \multirow{2}{*}{\textbf{City}} & \multicolumn{2}{c}{Trains} \\ \cmidrule(lr){2-3}
  & early & late \\ \midrule % a remark & more
  \rowcolor{gray!15} {\bf Basel} & 12 & $3\pm1$ \\[2pt]
  Ulm \& Linz & \begin{tabular}[c]{@{}c@{}}four\\ or five\end{tabular} & R\_E \\
  \bottomrule
\end{tabular}"""
TOLD = [["City", "Trains"], ["early", "late"], ["Basel", "12", "3 1"], ["Ulm & Linz", "four or five", "R_E"]]
RIGHT = """<table><tr><th rowspan="2">City</th><th colspan="2">Trains</th></tr><tr><th>early</th><th>late</th></tr>
<tr><td>Basel</td><td>12</td><td>3 ± 1</td></tr><tr><td>Ulm & Linz</td><td>four or five</td><td>R_E</td></tr></table>"""


def folder_of(path: Path, *tables: str) -> Path:
    for name in ("ground_truth", "pdfs"):
        (path / name).mkdir()
    told = [{"type": "table", "data": one, "complexity": "simple"} for one in tables]
    (path / "ground_truth" / "one.json").write_text(json.dumps([{"type": "text", "data": "prose"}, *told]))
    with pymupdf.open() as pdf:
        pdf.new_page()
        pdf.new_page()
        pdf.save(path / "pdfs" / "one.pdf")
    return path


def test_a_tabular_has_the_cells_that_it_prints() -> None:
    table = tabular(SPANNED)
    assert [[cell.text for cell in row] for row in table.rows] == TOLD
    assert (table.rows[0][0].rowspan, table.rows[0][1].colspan) == (2, 2)


def test_arguments_and_unmarked_empty_cells() -> None:
    table = tabular("\\begin{tabular*}{\\textwidth}{@{}lr@{}}\na & \\\\\n & b\\%\n\\end{tabular*}")
    assert [[cell.text for cell in row] for row in table.rows] == [["a", ""], ["", "b%"]]


def test_pages_of_a_document_are_scored_together(tmp_path: Path) -> None:
    suite = suite_in(folder_of(tmp_path, SPANNED), "pdf-parse-bench")
    items = suite.items()
    assert [item.id for item in items] == ["one_pg1", "one_pg2"]
    assert suite.score(items, {"one_pg2": RIGHT}).overall == pytest.approx(100)
    assert suite.score(items, {}).overall == 0
    joined = suite.score(items, {"one_pg1": RIGHT.replace("<td>12</td><td>", "<td>12 ")}).overall
    assert joined is not None and joined < 95


def test_of_several_tables_each_has_its_own(tmp_path: Path) -> None:
    small = r"\begin{tabular}{ll} one & two \\ three & four \end{tabular}"
    suite = PdfParseBench(folder_of(tmp_path, SPANNED, small))
    written = "| one | two |\n| --- | --- |\n| three | four |\n"
    assert suite.score(suite.items(), {"one_pg1": written}).overall == pytest.approx(50)
    scores = suite.score(suite.items(), {"one_pg1": RIGHT})
    assert (scores.figures["F1 with a rule"], scores.figures["tables with a rule"]) == (pytest.approx(100), 1)
    assert suite.score(suite.items(), {"one_pg1": f"{RIGHT}\n\n{written}"}).overall == pytest.approx(100)


@pytest.mark.parametrize(
    ("latex", "ruled"),
    [
        (r"\begin{tabular}{l|c} a & b \end{tabular}", True),
        (r"\begin{tabular}[t]{|lc|} a & b \end{tabular}", True),
        (r"\begin{tabularx}{\textwidth}{l|X} a & b \end{tabularx}", True),
        (r"\begin{tabular}{lc} \specialrule{1pt}{0pt}{0pt} a & b \end{tabular}", True),
        (r"\begin{tabular}{lc} $|a|$ & b \end{tabular}", False),
    ],
)
def test_a_table_with_a_rule_is_one_to_a_reader(tmp_path: Path, latex: str, ruled: bool) -> None:
    [item, _] = PdfParseBench(folder_of(tmp_path, latex)).items()
    assert [told for *_, told in item.truth] == [ruled]


def test_other_files_are_no_truth(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text('{"tables": []}')
    with pytest.raises(InputError, match="no truth of pdf-parse-bench"):
        truth_in(tmp_path / "one.json")
