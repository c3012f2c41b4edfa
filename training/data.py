"""Batches: samples of one size turned into the tensors that the losses want.

Cells are visual tokens (32 x 32 px), numbered row by row; -1 stands for "none" everywhere. A line whose centre
lies within `EDGE` of the edge between two rows of cells is half in either, and a sharp rule about whose it is
cannot be learned: it belongs to both, to its own cells and to their twins across the edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from transformers import PreTrainedTokenizerFast

from training.corpus import ALPHABET
from training.reader import tokenizer as tok
from training.reader.model import CELL, PATCH
from training.render import Sample

CLASSES = {char: i + 1 for i, char in enumerate(sorted(ALPHABET - {" "}))}  # 0 is blank
BIN = 4  # width in pixels of a bin of the dense supervision; its height is one patch
EDGE = 2.0  # pixels
IGNORE = -100


@dataclass(frozen=True)
class Batch:
    """pixels (B, H, W) uint8; ids (B, T) text tokens after the prompt, padded; targets (B, T) the token that
    follows each position, IGNORE on padding, for positions -1..T-1 shifted so that targets[:, t] follows
    ids[:, t]; cells (B, T) the cell of the token at t, next_cells (B, T) that of its target, twins and next_twins
    (B, T) their twins; dense (B, H/16, W/4) character classes; following and preceding (B, cells, 2) the next and
    the previous cell in reading order with their twins."""

    pixels: torch.Tensor
    ids: torch.Tensor
    targets: torch.Tensor
    cells: torch.Tensor
    next_cells: torch.Tensor
    twins: torch.Tensor
    next_twins: torch.Tensor
    dense: torch.Tensor
    following: torch.Tensor
    preceding: torch.Tensor


def across(y: float) -> int:
    """The way to the other row of cells, -1 or 1, for a height within EDGE of the edge between them; else 0."""
    nearest = round(y / CELL) * CELL
    if abs(y - nearest) >= EDGE:
        return 0
    return -1 if y >= nearest else 1


def token_cells(sample: Sample, tokenizer: PreTrainedTokenizerFast) -> tuple[list[int], np.ndarray]:
    """Token ids of the sample's Markdown, and the cell of each, that of its first printed character, with its
    twin, (tokens, 2)."""
    encoding = tokenizer(sample.text, add_special_tokens=False, return_offsets_mapping=True)
    rows, columns = sample.pixels.shape[0] // CELL, sample.pixels.shape[1] // CELL
    cells = np.full((len(encoding["input_ids"]), 2), -1)
    for t, (start, end) in enumerate(encoding["offset_mapping"]):
        for x, y in sample.centres[start : max(end, start + 1)]:
            if 0 <= x < columns * CELL and 0 <= y < rows * CELL:  # False for NaN
                row, column = int(y) // CELL, int(x) // CELL
                other = row + across(y)
                cells[t, 0] = row * columns + column
                if other != row and 0 <= other < rows:
                    cells[t, 1] = other * columns + column
                break
    return list(encoding["input_ids"]), cells


def reading_order(cells: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """For every cell the next and the previous distinct cell in reading order with its twin, (count, 2) each, from
    the tokens' cells (tokens, 2). A twin without text of its own has its cell's neighbours."""
    following, preceding = np.full((count, 2), -1), np.full((count, 2), -1)
    visited = cells[cells[:, 0] >= 0]
    if len(visited):
        visited = visited[np.concatenate([[True], visited[1:, 0] != visited[:-1, 0]])]
    for a, b in pairwise(visited):
        following[a[0]] = b
        if preceding[b[0], 0] < 0:
            preceding[b[0]] = a
    for cell, twin in visited:
        for goal in (following, preceding):
            if twin >= 0 and goal[twin, 0] < 0:
                goal[twin] = goal[cell]
    return following, preceding


def dense_labels(sample: Sample) -> np.ndarray:
    """The class of the character whose centre lies in each bin of 4 x 16 px, (H/16, W/4) int16; a character at an
    edge between rows of cells is named on both sides of it."""
    height, width = sample.pixels.shape
    labels = np.zeros((height // PATCH, width // BIN), np.int16)
    places = [
        (int(y) // PATCH, int(x) // BIN, across(y), CLASSES.get(glyph.char, 0))
        for glyph, (x, y) in zip(sample.glyphs, sample.glyph_centres, strict=True)
        if 0 <= x < width and 0 <= y < height
    ]
    for row, column, beyond, kind in places:
        if beyond and 0 <= row + beyond < len(labels):
            labels[row + beyond, column] = kind
    for row, column, _, kind in places:
        labels[row, column] = kind
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
    targets = np.full_like(ids, IGNORE)
    cells, next_cells = np.full((*ids.shape, 2), -1), np.full((*ids.shape, 2), -1)
    orders = np.full((2, len(samples), count, 2), -1)
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
        torch.from_numpy(cells[..., 0].copy()),
        torch.from_numpy(next_cells[..., 0].copy()),
        torch.from_numpy(cells[..., 1].copy()),
        torch.from_numpy(next_cells[..., 1].copy()),
        torch.from_numpy(np.stack([dense_labels(sample) for sample in samples])).long(),
        torch.from_numpy(orders[0].copy()),
        torch.from_numpy(orders[1].copy()),
    )


def prompt_tail(tokenizer: PreTrainedTokenizerFast) -> int:
    """The prompt's last token, after which the answer begins."""
    return tok.prompt_ids(tokenizer, 1)[-1]
