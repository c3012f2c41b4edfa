"""Trained heads: one decoder layer that continues from the target's last hidden states and drafts a token tree.

``network.py`` is the layer with the inputs of HiViS and ViSpec, ``checkpoint.py`` its files. The proposer that
drafts with it is :mod:`docspec.proposing.model_loading`; ``training/head`` of the repository trains it.
"""

from __future__ import annotations

from typing import Literal

HeadKind = Literal["hivis", "vispec"]
"""Architectures of a head; :mod:`docspec.heads.network` describes them."""
