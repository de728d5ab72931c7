"""Data sets known by name: from the data folder, or fetched from public repositories."""
