"""Mixtures of products of Bernoulli distributions, without and with features."""
