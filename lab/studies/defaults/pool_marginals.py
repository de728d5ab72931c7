"""What calibrated labels of single members would add to LabelSetClassifier, in training rows only.

    python -m lab.studies.defaults.pool_marginals FOLDER... [--rows N] [--standard]

The training part is that of `lab.studies.defaults.pool`, or the training file. The base learners of
the budget "balanced" and the members on top are fitted once, out of fold. Then every member on
listed sets is tilted: p(s | x) exp(t . s), normalised again, with a shift t_l of every label that
maximises the likelihood of the rows of the other folds less alpha / 2 |t|^2. A temperature of these
members, and a share of the product of the labels, are no further choices: the weights of their
scores are fitted to held-out rows, and the pool holds the product.
"""

import sys
import time

import numpy as np

from lab.studies.defaults.pool import compare_folders, learned_bases, show
from lab.studies.defaults.pool_gate import plain_pools
from labelfield.auto import layers
from labelfield.auto.judging import measured
from labelfield.joints import SupportJoint
from labelfield.kernels.sets.logspace import logsumexp
from labelfield.models.stacking.weights import held_out_log_prob
from labelfield.optim.lbfgs import lbfgs_steps

STRENGTHS = (100.0, 10.0, 1.0)


def shifts_of(parts, Y, alpha):
    """Return the shifts (L,) of the labels that make the sets Y of joints on lists likeliest."""
    rows = [np.isfinite(joint.log_prob(y)) for joint, y in zip(parts, Y)]
    target = sum(y[chosen].sum(axis=0, dtype=float) for y, chosen in zip(Y, rows))

    def objective(t):
        value, gradient = 0.5 * alpha * float(t @ t) - float(target @ t), alpha * t - target
        for joint, chosen in zip(parts, rows):
            tilted = joint.log_weights[chosen] + joint.sets @ t
            total = logsumexp(tilted, axis=1)
            value += float(total.sum())
            gradient = gradient + np.exp(tilted - total[:, None]).sum(axis=0) @ joint.sets
        return value, gradient

    return lbfgs_steps(objective, np.zeros(len(target)), maxiter=100).x


def tilted(parts, data, alpha):
    """Return the joints of a member's folds, each tilted as the rows of the other folds want."""
    if not all(isinstance(joint, SupportJoint) for joint in parts):
        return parts
    Y = [data.Y[test].astype(np.uint8) for _, test in data.folds]
    found = []
    for k, joint in enumerate(parts):
        others = [j for j in range(len(parts)) if j != k]
        t = shifts_of([parts[j] for j in others], [Y[j] for j in others], alpha)
        found.append(joint.tilt(np.tile(t, (len(joint), 1))))
    return found


def compare(of_data, X, Y):
    """Show pool and members with and without shifts of the labels."""
    data, evidence, _ = learned_bases(X, Y)
    joints = layers.Layers().fit(evidence, data)
    for alpha in (None, *STRENGTHS):
        started = time.process_time()
        own = joints
        if alpha is not None:
            own = {name: tilted(parts, data, alpha) for name, parts in joints.items()}
        spent = time.process_time() - started
        words = "as it is" if alpha is None else f"shifted labels, alpha {alpha:g}"
        log_prob = held_out_log_prob(own, data.Y, data.folds)
        pools = plain_pools(own, log_prob, data)
        show(of_data, f"{words}, pool", *measured(pools, data).values(), spent)
        for name in ("sets", "forest sets"):
            if name in own:
                show(of_data, f"{words}, {name}", *measured(own[name], data).values(), spent)


if __name__ == "__main__":
    compare_folders(__doc__, sys.argv[1:], compare)
