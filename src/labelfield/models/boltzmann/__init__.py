"""Restricted Boltzmann machines over labels, conditioned on features."""
