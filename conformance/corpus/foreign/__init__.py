"""Other people's outputs as cases: what is read, and what becomes of it."""
