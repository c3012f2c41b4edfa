"""Checkpoints between two: weights as said, and a reader like any other."""

from __future__ import annotations

import torch

from training.__main__ import main
from training.reader.checkpoint import init, load


def test_weights_lie_between_two_checkpoints_where_they_were_asked_for(tmp_path):
    for seed in (1, 2):
        init(tmp_path / str(seed), seed=seed)
    main(["blend", str(tmp_path / "1"), str(tmp_path / "2"), str(tmp_path / "between"), "--share", "0.25"])
    first, second, between = (load(tmp_path / name)[0].state_dict() for name in ("1", "2", "between"))
    assert any(not torch.equal(first[name], second[name]) for name in first)
    for name, value in between.items():
        expected = (0.75 * first[name] + 0.25 * second[name]).to(torch.bfloat16).float()
        torch.testing.assert_close(value, expected, rtol=2**-7, atol=1e-6)
    assert (tmp_path / "between" / "docspec.json").is_file()
