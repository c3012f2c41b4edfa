"""The ledger sees what is lost, written twice or out of place, wherever it happened on the road."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random

from docspec.core.account import PageAccount
from tests.ledger.mutations import PARTS, mutated
from tests.ledger.pages import ReadPage, read_pages

CASES = 500
LEAST_SEEN = 0.99
WAYS = ("remove", "duplicate", "swap")


def differs(account: PageAccount, clean: PageAccount) -> bool:
    """Whether an account tells of more that is missing, added or out of place than that of the output as written."""
    before, after = clean.counts, account.counts
    return (
        after["missing"] + after["left_out"] > before["missing"] + before["left_out"]
        or len(account.added) > len(clean.added)
        or account.displaced > clean.displaced
    )


def test_the_ledger_sees_faults_of_finished_outputs() -> None:
    """Five hundred seeded faults: of them at most one in a hundred is not seen."""
    random = Random(20261126)
    pages = read_pages()
    clean = [page.account() for page in pages]
    kinds = list(product(PARTS, WAYS))
    unseen: list[str] = []
    cases: Counter[tuple[str, str]] = Counter()
    while cases.total() < CASES:
        part, way = kinds[cases.total() % len(kinds)]
        at = random.randrange(len(pages))
        mutation = mutated(pages[at].markdown, part, way, random)
        if mutation is None:
            continue
        cases[part, way] += 1
        if not differs(pages[at].account(mutation.text), clean[at]):
            unseen.append(f"{pages[at].result.source}: {part} {mutation.what}")
    assert len(unseen) <= (1 - LEAST_SEEN) * CASES, "\n".join(unseen)
    assert set(cases) == set(kinds)


def test_nothing_is_missing_from_outputs_as_they_are_written() -> None:
    """The negative control: without a fault nothing is reported."""
    for page in read_pages():
        account = page.account()
        assert account.missing == (), page.result.source
        assert account.added == (), page.result.source
        assert account.written > 50


def test_a_word_that_is_removed_is_named_with_its_place() -> None:
    page = typed_page()
    account = page.account(page.markdown.replace("winch", ""))
    (run,) = account.missing
    assert run.text == "winch"
    (word,) = (word for word in page.words if word.text == "winch")
    assert run.bbox == word.bbox
    assert account.doubt == "1 word of the page is not in the output: winch"


def test_a_figure_too_many_does_not_account_for_a_number() -> None:
    page = typed_page()
    account = page.account(page.markdown.replace("120", "1201"))
    assert [run.text for run in account.missing] == ["120"]
    assert account.added == ("1201",)


def typed_page() -> ReadPage:
    return read_pages()[-1]
