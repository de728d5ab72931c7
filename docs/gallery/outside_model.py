"""# Build on a model from elsewhere

A network, a boosted forest or a service gives a probability per label. labelfield takes the matrix
of these probabilities in place of X and adds what is missing: how labels depend on each other,
decisions for a metric, and confidence in whole sets.
"""

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier

from labelfield.datasets import load_digit_scenes

data = load_digit_scenes(n_train=2000, split="train")
X, Y = data.X, data.Y
trees = ExtraTreesClassifier(60, min_samples_leaf=3, random_state=0)
trees.fit(X[:700], Y[:700])


def outside(X):
    """Return P(label) of every row: all that we know of the other model."""
    return np.column_stack([P[:, 1] for P in trees.predict_proba(X)])


P, Y_new = outside(X), Y[1400:]
P, P_new, Y = P[700:1400], P[1400:], Y[700:1400]  # rows that the trees were not fitted to
print(P_new[:2, :6].round(2))

# %%
# ## Let labels speak to each other
#
# `PrecomputedProbabilities()` stands for the outside model. A field on top of it learns from rows
# that the outside model was not fitted to.

from labelfield import PairwiseCRF, PrecomputedProbabilities
from labelfield.metrics import f1_score, hamming_loss, subset_accuracy

alone = PrecomputedProbabilities().fit(P, Y)
field = PairwiseCRF(PrecomputedProbabilities()).fit(P, Y)
for name, model in {"as it came": alone, "with a field": field}.items():
    sets = model.predict(P_new)
    print(
        f"{name:13} exact match {subset_accuracy(Y_new, sets):.2f}, "
        f"F1 {f1_score(Y_new, model.predict(P_new, decoder='f1')):.2f}, "
        f"Hamming loss {hamming_loss(Y_new, model.predict(P_new, decoder='hamming')):.3f}"
    )

# %%
# ## How sure is a set?
#
# The product of label probabilities is no probability of a set where labels depend on each other.
# Nearly all of its values lie in the first bin here. The field is calibrated as it is, so that
# calibrating it changes next to nothing; with another model it may.

from matplotlib import pyplot as plt

from labelfield import CalibratedSetClassifier, ReliabilityDisplay

calibrated = CalibratedSetClassifier(field).fit(P, Y)
figure, ax = plt.subplots(figsize=(4.6, 4.4), layout="constrained")
figure.set_label("Reliability of the outside model, with a field, and calibrated")
shown = {"as it came": alone, "with a field": field, "calibrated field": calibrated}
for name, model in shown.items():
    ReliabilityDisplay.from_estimator(model, P_new, Y_new, n_bins=5, name=name, ax=ax)

# %%
# With confidence one can accept answers of a model that never knew of any of this:

route = calibrated.route(P_new, accuracy=0.6)
right = (calibrated.predict(P_new) == Y_new).all(axis=1)
print(f"accepted {route.accept.mean():.2f}, of these right {right[route.accept].mean():.2f}")
