"""Adapters to implementations in the wild, and the reference reader."""
