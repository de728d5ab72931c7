"""Calibrators: from the description of a predicted set to the probability that it is right."""
