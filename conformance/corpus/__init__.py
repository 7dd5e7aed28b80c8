"""Work on the corpora: what may stand in them."""
