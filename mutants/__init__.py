"""Implementations that are wrong on purpose, and the score they prove."""
