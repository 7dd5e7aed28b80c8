"""A static page of reports: implementations × dialects × checks, each failure with its minimal case."""
