"""Grids that settings are chosen from, the same for all rows of a table that have such a setting.

They reach as far as some row has chosen, and one step further: a strength at the end of a grid is
one that was not chosen freely. Pages name the cells where that happens none the less.
"""

__all__ = ["COSTS", "DECADES", "STRENGTHS"]

# Of logistic regressions on features as they are or z-scored, against the summed loss.
STRENGTHS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
DECADES = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)  # where a fit takes long
COSTS = (0.1, 1.0, 10.0, 100.0, 1000.0)  # C of kernel machines
