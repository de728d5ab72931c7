"""Inner loops over plain arrays, grouped by what they serve.

Modules with compiled loops import numba, so they load on first use: write
`from labelfield import kernels` and call `kernels.sets.kbest.k_best(...)`. A loop with a single
customer lives beside it instead.
"""

from labelfield.kernels import fields, losses, sets

__all__ = ["fields", "losses", "sets"]
