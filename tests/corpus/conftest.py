"""Runs over folders in processes of their own, with scripted pages: quick, killed in earnest."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "cli"))
sys.path.insert(0, str(HERE.parent / "reporting"))
sys.path.insert(0, str(HERE))
