"""Strengths of penalties, chosen by the likelihood of rows held out."""
