"""Restore."""
