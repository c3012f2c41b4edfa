"""Teaches the relations between the words of a page (``docspec/drafting/structure``) on pages that are made, whose truth is known."""
