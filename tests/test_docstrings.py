"""What docstrings name exists, and becomes a link in the API reference."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import griffe
import pytest

ROOT = Path(__file__).parents[1]
spec = importlib.util.spec_from_file_location("docstrings", ROOT / "docs" / "docstrings.py")
assert spec is not None and spec.loader is not None
docstrings = importlib.util.module_from_spec(spec)
spec.loader.exec_module(docstrings)


@pytest.fixture(scope="module")
def package() -> griffe.Module:
    return griffe.load("docspec", search_paths=[ROOT])  # type: ignore[return-value]


def objects(within: griffe.Object) -> Iterator[griffe.Object]:
    yield within
    for member in within.members.values():
        if not member.is_alias:
            yield from objects(member)  # type: ignore[arg-type]


def test_names_in_roles_exist(package: griffe.Module) -> None:
    names, missing = 0, []
    for obj in objects(package):
        for name in docstrings.ROLE.findall(obj.docstring.value if obj.docstring else ""):
            names += 1
            try:
                path = docstrings.path_of(obj, name)
                if path.startswith("docspec."):
                    _ = package[path.removeprefix("docspec.")]
            except (griffe.NameResolutionError, KeyError):
                missing.append((obj.path, name))
    assert missing == []
    assert names > 100


def test_no_role_is_left_as_it_is_written(package: griffe.Module) -> None:
    written = [text for obj in objects(package) if (text := obj.docstring and obj.docstring.value)]
    assert [text for text in written if re.search(r":[a-z:]+:`", docstrings.ROLE.sub("", text))] == []


def test_a_role_is_a_link_to_what_it_names(tmp_path: Path) -> None:
    code = '''
class Page:
    """A page; see :meth:`parse` and :class:`docspec.core.ParseOptions`."""

    def parse(self) -> None: ...
'''
    (tmp_path / "pages.py").write_text(code, encoding="utf-8")
    pages = griffe.load("pages", search_paths=[tmp_path], extensions=griffe.load_extensions(docstrings.Docstrings))
    docstring = pages["Page"].docstring  # type: ignore[index]
    assert docstring is not None and docstring.value == (
        'A page; see <autoref identifier="pages.Page.parse" optional>`parse`</autoref> and '
        '<autoref identifier="docspec.core.ParseOptions" optional>`ParseOptions`</autoref>.'
    )


def test_an_option_has_the_help_of_the_command_line() -> None:
    package = griffe.load("docspec", search_paths=[ROOT], extensions=griffe.load_extensions(docstrings.Docstrings))
    docstring = package["core.options.ParseOptions.password"].docstring  # type: ignore[index]
    assert docstring is not None and docstring.value == "Password of encrypted PDF files."
