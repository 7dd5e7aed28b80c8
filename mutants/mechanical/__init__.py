"""Mechanical mutation: every small change that mutmut makes to our own code, and which of them the tests see."""
