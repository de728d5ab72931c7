"""The heap of the best sets against sorting; the answers are tested as an engine."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from labelfield import kernels
from strategies import generators


@settings(max_examples=50, deadline=None)
@given(rng=generators, n=st.integers(1, 40))
def test_the_cheapest_comes_first(rng, n):
    cost = rng.integers(0, 8, n).astype(float)
    queue, waiting = np.zeros(n, dtype=np.int64), []
    arrivals = rng.permutation(n).tolist()
    while arrivals or waiting:
        if arrivals and (not waiting or rng.random() < 0.6):
            item = arrivals.pop()
            kernels.fields.elimination.push(queue, len(waiting), cost, item)
            waiting.append(item)
        else:
            cheapest = min(waiting, key=lambda item: (cost[item], item))
            assert kernels.fields.elimination.pop(queue, len(waiting), cost) == cheapest
            waiting.remove(cheapest)
