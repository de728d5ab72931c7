"""Data sets known by name: from the data folder, the cache, or OpenML."""
