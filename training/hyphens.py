"""Makes the lexicons of line-end hyphens: ``python -m training.hyphens LANGUAGE --texts FOLDER... --list FILE``.

Word lists are those of Debian packages: for English SCOWL (``scowl``) and WordNet (``wordnet-base``), for French
``hunspell-fr-classical``. German and Spanish words that were cut are joined without one: German closes its compounds,
and the hyphen before a capital stays anyway. The weights are those of a logistic regression over the cut words of
``--texts`` (``benchmarks/line_hyphens``); how often a word stands there counts by its logarithm.
"""

from __future__ import annotations

import argparse
import json
import lzma
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from scipy.special import expit

from benchmarks.line_hyphens import Cut, cuts
from docspec.dialects.hyphens import both_stand, parts
from docspec.dialects.lexicon import FOLDER, Lexicon

_WORD = re.compile(r"[^\W\d_]{2,}")
_COMPOUND = re.compile(r"[^\W\d_]+-[^\W\d_]+")
_SCOWL = re.compile(r"(?:english|american|british|british_z|canadian)-(words|upper|proper-names)\.(\d+)")
RANKS = (35, 60, 70)
"""SCOWL's sizes."""


def packed(ranked: Iterable[Iterable[str]], compounds: Iterable[str], weights: Mapping[str, float]) -> bytes:
    """The file of a lexicon: words by rank, compounds, weights."""
    parts = ["\n".join(sorted(words)) for words in (*ranked, compounds)]
    told = json.dumps(dict(sorted(weights.items())), ensure_ascii=False, separators=(",", ":"))
    return lzma.compress("\0".join((*parts, told)).encode(), preset=9 | lzma.PRESET_EXTREME)


def scowl(folder: Path) -> list[set[str]]:
    """The words of SCOWL by rank; names are among the rare ones."""
    sizes: dict[str, int] = {}
    for path in folder.iterdir():
        if (match := _SCOWL.fullmatch(path.name)) and int(match[2]) <= RANKS[-1]:
            size = int(match[2]) if match[1] == "words" else max(int(match[2]), RANKS[1])
            for word in path.read_text("latin-1").split():
                if _WORD.fullmatch(word):
                    sizes[word.lower()] = min(sizes.get(word.lower(), size), size)
    bounds = (0, *RANKS)
    return [
        {word for word, size in sizes.items() if low < size <= high} for low, high in zip(bounds, RANKS, strict=False)
    ]


def wordnet(folder: Path) -> set[str]:
    """The compounds of WordNet with one hyphen."""
    lines = (line for path in folder.glob("index.*[!e]") for line in path.read_text("utf-8").split("\n"))
    return {word for line in lines if (word := line.partition(" ")[0]) and _COMPOUND.fullmatch(word)}


def glosses(folder: Path, out: Path) -> None:
    """Writes WordNet's definitions and examples as texts into ``out``, three to a paragraph."""
    out.mkdir(parents=True, exist_ok=True)
    for path in sorted(folder.glob("data.*")):
        told = [line.partition("| ")[2].strip() for line in path.read_text("utf-8").split("\n") if "| " in line]
        found = [" ".join(told[at : at + 3]) for at in range(0, len(told), 3)]
        (out / f"{path.name}.txt").write_text("\n\n".join(found), "utf-8")


def plain_list(path: Path) -> tuple[list[set[str]], set[str]]:
    """The words and compounds of a list, one a line, what follows ``/`` left out; one rank."""
    lines = {line.partition("/")[0].split("\t")[0].strip().lower() for line in _text(path).split("\n")}
    words = {line for line in lines if _WORD.fullmatch(line)}
    return [words, set(), set()], {line for line in lines if _COMPOUND.fullmatch(line)}


def _text(path: Path) -> str:
    data = path.read_bytes()
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def examples(found: Iterator[Cut]) -> Counter[tuple[str, str, bool, bool]]:
    """Both parts, whether they stand in the document, whether the hyphen is the word's own; how often."""
    told: Counter[tuple[str, str, bool, bool]] = Counter()
    for cut in found:
        head, tail = parts(cut.left, cut.right)
        if head and tail and tail[0].islower() and head[-1].isalpha():
            told[(head, tail, both_stand(head, tail, cut.page), cut.kept)] += 1
    return told


def taught(lexicon: Lexicon, told: Counter[tuple[str, str, bool, bool]], least: int, decay: float) -> dict[str, float]:
    """The weights of the evidence that at least ``least`` examples have."""
    rows = [list(lexicon.evidence(head, tail, stand)) for head, tail, stand, _ in told]
    counts = Counter(name for row in rows for name in row)
    names = {name: place for place, name in enumerate(one for one, count in counts.items() if count >= least)}
    owners, places = zip(
        *((at, names[name]) for at, row in enumerate(rows) for name in row if name in names), strict=True
    )
    matrix = csr_matrix((np.ones(len(owners)), (owners, places)), shape=(len(rows), len(names)))
    truth = np.array([1.0 if kept else -1.0 for *_, kept in told])
    share = np.array([1 + math.log(count) for count in told.values()])

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        margins = truth * (matrix @ weights)
        slopes = -share * truth * expit(-margins)
        value = float((share * np.logaddexp(0, -margins)).sum() + decay * (weights**2).sum())
        return value, matrix.T @ slopes + 2 * decay * weights

    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": 300}).x
    right = truth * (matrix @ found) > 0
    for name, own in (("kept", truth > 0), ("joined", truth < 0)):
        print(name, int(right[own].sum()), "of", int(own.sum()))
    return {name: round(float(found[place]), 2) for name, place in names.items() if abs(found[place]) >= 0.05}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("language")
    parser.add_argument("--texts", type=Path, nargs="+", required=True)
    parser.add_argument("--scowl", type=Path)
    parser.add_argument("--wordnet", type=Path)
    parser.add_argument("--list", type=Path)
    parser.add_argument("--seed", type=int, default=101)
    parser.add_argument("--most", type=int, default=25_000, help="cut words of each folder of texts")
    parser.add_argument("--least", type=int, default=3)
    parser.add_argument("--decay", type=float, default=0.1)
    parser.add_argument("--glosses", type=Path, help="a folder to write WordNet's glosses to, which are texts as well")
    given = parser.parse_args()
    ranked, compounds = plain_list(given.list) if given.list else ([set(), set(), set()], set())
    if given.scowl:
        ranked = scowl(given.scowl)
    texts = list(given.texts)
    if given.wordnet:
        compounds = wordnet(given.wordnet)
        glosses(given.wordnet, given.glosses)
        texts.append(given.glosses)
    told: Counter[tuple[str, str, bool, bool]] = Counter()
    for folder in texts:
        told += examples(islice(cuts(folder, given.language, given.seed), given.most))
        print(folder.name, len(told), flush=True)
    weights = taught(
        Lexicon([sorted(words) for words in ranked], sorted(compounds), {}), told, given.least, given.decay
    )
    data = packed(ranked, compounds, weights)
    (FOLDER / f"{given.language}.xz").write_bytes(data)
    print(sum(map(len, ranked)), "words", len(compounds), "compounds", len(weights), "weights", len(data), "bytes")


if __name__ == "__main__":
    main()
