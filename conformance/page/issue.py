"""Placeholder."""


def issue_text(header, entry, violation):
    """Placeholder."""
    return f"# {entry.verdict.check}: {violation.kind_title}\n\n```python\n{violation.raw!a:.200}\n```\n\n    --case='{violation.case}'\n"
