"""Mixed tables: the class, those of UCI, a generator, and damage on purpose."""
