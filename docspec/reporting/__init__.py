"""Results on their way out: Markdown, JSON and HTML files, figures, the timing report and its short
summary.
"""
