"""``conformance fit``: which policy explains how an implementation reads."""
