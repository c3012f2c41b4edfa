"""Combinations of options that make sense, by name. An option that is given by itself overrides its profile."""

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
"""``exact``: the model's own words, near ties decided as in plain decoding. ``fast``: known and sound words are kept,
the rest is the model's own, four pages at a time. ``lossy``: in addition, drafted tokens that are nearly as likely as
the model's own are accepted, and text on which two readings agree is not read. Each may be given to
:class:`docspec.ParseOptions`: ``ParseOptions(**PROFILES["fast"])``."""
