"""Classifiers, one subpackage per family."""
