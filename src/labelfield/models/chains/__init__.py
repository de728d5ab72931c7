"""Classifier chains."""
