"""# Code cases by a code book, and send the doubtful ones to a person

A code book has rules: a diagnosis needs its group, exactly one severity where there is a diagnosis.
Every set that a model with these rules predicts keeps them, and a calibrated model says which sets
somebody should look at.
"""

import numpy as np

from labelfield import LabelRules

names = ["infection", "flu", "covid", "injury", "fracture", "burn", "mild", "severe"]
groups = {"flu": "infection", "covid": "infection", "fracture": "injury", "burn": "injury"}
rules = (
    LabelRules(names)
    .hierarchy(groups)
    .any_of("infection", needs=("flu", "covid"))
    .exclusive("flu", "covid")
    .exactly_one("mild", "severe")
)
print(rules)

# %%
# ## The cases
#
# Generated: symptoms as numbers, codes that keep the rules, and a coder who forgets the group of a
# diagnosis now and then.


def make_cases(n, seed, forgets=0.0):
    """Return symptoms (n, 12) and codes (n, 8)."""
    rng = np.random.default_rng(seed)
    Y = np.zeros((n, 8), dtype=int)
    illness = rng.integers(0, 5, n)  # flu, covid, fracture, burn, fracture and burn
    for column, kinds in ((1, [0]), (2, [1]), (4, [2, 4]), (5, [3, 4])):
        Y[:, column] = np.isin(illness, kinds)
    Y[:, 0] = Y[:, 1] | Y[:, 2]
    Y[:, 3] = Y[:, 4] | Y[:, 5]
    Y[:, 7] = rng.random(n) < 0.2 + 0.4 * (illness == 4)
    Y[:, 6] = 1 - Y[:, 7]
    weights = np.random.default_rng(9).normal(size=(8, 12))
    X = Y @ weights + 0.9 * rng.normal(size=(n, 12))
    lost = rng.random(n) < forgets
    Y[lost, 0] = Y[lost, 3] = 0
    return X, Y


X, Y = make_cases(600, seed=0, forgets=0.03)
X_new, Y_new = make_cases(400, seed=1)
print(rules.check(Y))

# %%
# ## Fit
#
# `on_violation="close"` adds the groups that were forgotten. Without rules the same model predicts
# impossible sets.

from labelfield import BinaryRelevance, CalibratedSetClassifier
from labelfield.metrics import rule_violations, subset_accuracy

free = BinaryRelevance(alpha=1.0).fit(X, Y)
bound = BinaryRelevance(alpha=1.0, rules=rules, on_violation="close").fit(X, Y)
for name, model in {"without rules": free, "with rules": bound}.items():
    sets = model.predict(X_new)
    print(
        f"{name:14} exact match {subset_accuracy(Y_new, sets):.2f}, "
        f"broken rules per case {rule_violations(sets, rules):.2f}"
    )

# %%
# ## Review
#
# A calibrated model accepts what it can be sure of. The others go to a person, with the two most
# probable sets of each; the least probable come first.

desk = CalibratedSetClassifier(bound, cv=3).fit(X, rules.closure(Y))
route = desk.route(X_new, accuracy=0.9)
right = (desk.predict(X_new) == Y_new).all(axis=1)
print(f"accepted {route.accept.mean():.2f}, of these right {right[route.accept].mean():.2f}")

sets, log_prob = bound.predict_joint(X_new).top_k(2)
queue = np.flatnonzero(route.review)
for row in queue[np.argsort(log_prob[queue, 0])][:3]:
    options = [
        f"{' + '.join(np.array(names)[labels == 1])} ({np.exp(p):.2f})"
        for labels, p in zip(sets[row], log_prob[row])
    ]
    print(f"case {row}: {' or '.join(options)}")

# %%

from labelfield import AutomationDisplay

display = AutomationDisplay.from_estimator(desk, X_new, Y_new, target=0.9, name="cases")
display.figure_.set_label("Accuracy of the accepted cases against the share accepted")
