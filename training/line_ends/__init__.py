"""Teaches what the ends of printed lines mean (``docspec/drafting/line_ends.py``)."""
