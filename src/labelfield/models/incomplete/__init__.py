"""Models for labels that are known in part."""
