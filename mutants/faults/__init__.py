"""What mutants do wrong, as changes of the specified reader, one kind of fault a module."""
