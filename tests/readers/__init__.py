"""Adapters made from the specified reader: right ones in many styles, and wrong ones with a fault each."""
