"""Mixtures of products of Bernoulli laws, without and with features."""
