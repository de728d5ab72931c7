"""Sizes: growth, memory, more than memory, GPUs, load on the service."""
