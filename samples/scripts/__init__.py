"""Pages in other scripts than Latin with their true text: ``python -m samples.scripts FOLDER`` typesets them.

They are made with the fonts of the machine and never kept here, since fonts are not ours to give. What they measure:
``docspec bench transcripts FOLDER --tokenizer FILE``.
"""

from pathlib import Path

TEXTS = Path(__file__).parent / "texts"
"""``SCRIPT.md``: titles, headings, paragraphs and list items."""
