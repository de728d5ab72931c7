"""Label sets as classes."""
