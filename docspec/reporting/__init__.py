"""Writes results: Markdown, JSON and HTML files, figures, the timing report and its short summary."""
