"""Batches: samples of one size turned into the tensors that the losses want.

Cells are visual tokens (32 x 32 px), numbered row by row; -1 stands for "none" everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from transformers import PreTrainedTokenizerFast

from docspec.reader import tokenizer as tok
from docspec.reader.corpus import ALPHABET
from docspec.reader.model import CELL, PATCH
from docspec.reader.render import Sample

CLASSES = {char: i + 1 for i, char in enumerate(sorted(ALPHABET - {" "}))}  # 0 is blank
BIN = 4  # width in pixels of a bin of the dense supervision; its height is one patch
IGNORE = -100


@dataclass(frozen=True)
class Batch:
    """pixels (B, H, W) uint8; ids (B, T) text tokens after the prompt, padded; targets (B, T) the token that
    follows each position, IGNORE on padding, for positions -1..T-1 shifted so that targets[:, t] follows
    ids[:, t]; cells (B, T) the cell of the token at t; dense (B, H/16, W/4) character classes; following and
    preceding (B, cells) the next and the previous cell in reading order."""

    pixels: torch.Tensor
    ids: torch.Tensor
    targets: torch.Tensor
    cells: torch.Tensor
    next_cells: torch.Tensor
    dense: torch.Tensor
    following: torch.Tensor
    preceding: torch.Tensor


def token_cells(sample: Sample, tokenizer: PreTrainedTokenizerFast) -> tuple[list[int], np.ndarray]:
    """Token ids of the sample's Markdown and the cell of each, that of its first printed character."""
    encoding = tokenizer(sample.text, add_special_tokens=False, return_offsets_mapping=True)
    rows, columns = sample.pixels.shape[0] // CELL, sample.pixels.shape[1] // CELL
    x, y = sample.centres[:, 0], sample.centres[:, 1]
    inside = (x >= 0) & (y >= 0) & (x < columns * CELL) & (y < rows * CELL)  # False for NaN
    cell = np.full(len(x), -1)
    cell[inside] = (y[inside] // CELL).astype(int) * columns + (x[inside] // CELL).astype(int)
    cells = np.full(len(encoding["input_ids"]), -1)
    for t, (start, end) in enumerate(encoding["offset_mapping"]):
        for position in range(start, max(end, start + 1)):
            if position < len(cell) and cell[position] >= 0:
                cells[t] = cell[position]
                break
    return list(encoding["input_ids"]), cells


def reading_order(cells: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """For every cell the next and the previous distinct cell in reading order, (count,) each."""
    following, preceding = np.full(count, -1), np.full(count, -1)
    visited = cells[cells >= 0]
    visited = visited[np.concatenate([[True], visited[1:] != visited[:-1]])] if len(visited) else visited
    for a, b in pairwise(visited):
        following[a] = b
        if preceding[b] < 0:
            preceding[b] = a
    return following, preceding


def dense_labels(sample: Sample) -> np.ndarray:
    """The class of the character whose centre lies in each bin of 4 x 16 px, (H/16, W/4) uint8."""
    height, width = sample.pixels.shape
    labels = np.zeros((height // PATCH, width // BIN), np.uint8)
    for glyph, (x, y) in zip(sample.glyphs, sample.glyph_centres, strict=True):
        if 0 <= x < width and 0 <= y < height:
            labels[int(y) // PATCH, int(x) // BIN] = CLASSES.get(glyph.char, 0)
    return labels


def collate(samples: Sequence[Sample], tokenizer: PreTrainedTokenizerFast, longest: int = 2048) -> Batch:
    """A batch of samples of one size; texts over `longest` tokens are cut. ids begin with the prompt's last
    token's successor: position 0 is the newline before the answer, so targets[:, 0] is the answer's first
    token."""
    encoded = [token_cells(sample, tokenizer) for sample in samples]
    length = min(longest, max(len(ids) for ids, _ in encoded)) + 1
    start = prompt_tail(tokenizer)
    count = (samples[0].pixels.shape[0] // CELL) * (samples[0].pixels.shape[1] // CELL)
    ids = np.full((len(samples), length), tok.ENDOFTEXT)
    targets, cells = np.full_like(ids, IGNORE), np.full_like(ids, -1)
    next_cells = np.full_like(ids, -1)
    orders = np.full((2, len(samples), count), -1)
    for b, (tokens, where) in enumerate(encoded):
        orders[:, b] = reading_order(where, count)
        tokens, where = tokens[: length - 1], where[: length - 1]
        n = len(tokens)
        ids[b, 0], ids[b, 1 : n + 1] = start, tokens
        targets[b, :n] = tokens
        if len(encoded[b][0]) < length:
            targets[b, n] = tok.IM_END
        cells[b, 1 : n + 1] = where
        next_cells[b, :n] = where
    return Batch(
        torch.from_numpy(np.stack([sample.pixels for sample in samples])),
        torch.from_numpy(ids),
        torch.from_numpy(targets),
        torch.from_numpy(cells),
        torch.from_numpy(next_cells),
        torch.from_numpy(np.stack([dense_labels(sample) for sample in samples])).long(),
        torch.from_numpy(orders[0].copy()),
        torch.from_numpy(orders[1].copy()),
    )


def prompt_tail(tokenizer: PreTrainedTokenizerFast) -> int:
    """The prompt's last token, after which the answer begins."""
    return tok.prompt_ids(tokenizer, 1)[-1]
