"""Mutation scores: which faults in a parser's own code the suite would catch, and reports of them."""
