"""Combinations of options that make sense, by name. What is said of an option by itself stands before its profile."""

from __future__ import annotations

from typing import Any, Literal

Profile = Literal["exact", "fast", "lossy"]

PROFILES: dict[Profile, dict[str, Any]] = {
    "exact": {"words": "model", "exact": "strict"},
    "fast": {"words": "evidence", "pages_in_flight": 4},
    "lossy": {
        "words": "evidence",
        "drafter": "text-layer+rapidocr",
        "pages_in_flight": 4,
        "tau": 0.75,
        "trust_agreement": True,
    },
}
"""``exact``: the model's own words, near ties decided as plain decoding decides them. ``fast``: words that are known
and sound stand, the model's own for the rest, four pages side by side. ``lossy``: beside that, drafted tokens that are
nearly as likely as the model's own are accepted, and what two readings agree on is not read. Each may be given to
:class:`docspec.ParseOptions`: ``ParseOptions(**PROFILES["fast"])``."""
