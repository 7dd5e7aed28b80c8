"""The mutants by name, one kind of fault a module."""
