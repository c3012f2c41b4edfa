"""What the evaluation counts."""

from __future__ import annotations

from training.crops import make_crop
from training.evaluate import crops_of, normalise, printed_lines, slips


def test_normalisation_drops_marks_and_keeps_words() -> None:
    table = "| a | b |\n| --- | --- |\n| 1 | 2 |"
    assert normalise(f"# Title\n\n## Head\n\n- item\n1. first\n\n{table}") == "Title Head item first a b 1 2"


def test_a_perfect_reading_has_no_slips_and_a_doubled_line_one() -> None:
    sample = make_crop(640, 256, 3, kind="paragraph", fill=True)
    lines = printed_lines(sample)
    assert len(lines) > 4
    counted, repeated, skipped = slips(sample, sample.text)
    assert counted >= 3 and repeated == skipped == 0
    doubled = sample.text.replace(lines[2], f"{lines[2]} {lines[2]}")
    assert slips(sample, doubled)[1] == 1
    assert slips(sample, sample.text.replace(lines[2], ""))[2] == 1


def test_crop_buckets_hold_the_lines_they_name() -> None:
    for low, high in ((1, 1), (3, 4), (9, 12)):
        samples = list(crops_of(low, high, 4, 7, unseen=False))
        assert len(samples) == 4
        assert all(low <= len(printed_lines(sample)) <= high for sample in samples)
