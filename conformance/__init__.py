"""What judges: adapters, chunkings, checks, the pytest plugin, reports, the command line."""
