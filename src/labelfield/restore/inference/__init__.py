"""Clean cells given dirty ones: the posterior, and how noisy the cells are."""
