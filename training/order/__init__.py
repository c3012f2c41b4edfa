"""Teaches which of two boxes of a page is read first."""
