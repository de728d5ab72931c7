"""Property tests try the same examples every time; HYPOTHESIS_PROFILE=new tries others."""

import os

from hypothesis import settings

# Two workers with two threads each would wait for one another: one thread each, unless told else.
# Set here, before any test imports numpy.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("new", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
