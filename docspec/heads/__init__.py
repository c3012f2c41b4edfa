"""Trained heads: one decoder layer that goes on from the target's last hidden states and drafts a tree of tokens.

``network.py`` is the layer with what HiViS and ViSpec put before it, ``checkpoint.py`` its files. The
proposer that drafts with it is :mod:`docspec.proposing.trained_head`; ``training/head`` of the repository teaches it.
"""

from __future__ import annotations

from typing import Literal

HeadKind = Literal["hivis", "vispec"]
"""How a head is built; :mod:`docspec.heads.network` says what each has."""
