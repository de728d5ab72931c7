"""Measurements: `python -m benchmarks [name ...]` runs all, or those named."""
