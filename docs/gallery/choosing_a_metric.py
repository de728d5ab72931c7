"""# One fit, many metrics

The best label set depends on what counts. A model with a joint distribution is fitted once and
decides for each metric when it predicts. This page shows how much that matters, and that no
decision wins everywhere.
"""

import numpy as np

from labelfield import ConditionalBernoulliMixture
from labelfield.datasets import make_multilabel

data = make_multilabel(n_samples=1000, n_labels=8, coupling=2.0, random_state=7)
X, Y, X_new, Y_new = data.X[:500], data.Y[:500], data.X[500:], data.Y[500:]
model = ConditionalBernoulliMixture(n_components=4, random_state=0).fit(X, Y)

# %%
# Rows are decisions, columns are metrics. Decoders named after a threshold learn it from
# out-of-fold predictions, so that they go into the constructor; the others need no refitting.

from labelfield import metrics

decoders = {
    "exact match": "subset",
    "Hamming": "hamming",
    "F1 of a row": "f1",
    "Jaccard": "jaccard",
    "two labels": "top_k",
}
measures = {
    "exact match": metrics.subset_accuracy,
    "1 - Hamming loss": lambda a, b: 1 - metrics.hamming_loss(a, b),
    "F1 of a row": metrics.f1_score,
    "Jaccard": metrics.jaccard_score,
    "macro-F1": lambda a, b: metrics.f1_score(a, b, average="macro"),
}
from labelfield import TopKDecoder

decoders["two labels"] = TopKDecoder(k=2)
decided = {name: model.predict(X_new, decoder=decoder) for name, decoder in decoders.items()}
table = np.array([[f(Y_new, sets) for f in measures.values()] for sets in decided.values()])

print(f"{'decided for':14}" + "".join(f"{name:>18}" for name in measures) + f"{'labels a row':>14}")
for name, row in zip(decided, table):
    size = decided[name].sum(axis=1).mean()
    print(f"{name:14}" + "".join(f"{value:18.3f}" for value in row) + f"{size:14.2f}")

# %%
# The best of each column is bold. F1 and the Jaccard index are close relatives: deciding for one
# serves the other. Macro-F1 has no row of its own here; `decoder="threshold_f1_macro"` would be
# its decision.

from matplotlib import pyplot as plt

figure, ax = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
figure.set_label("Five decisions of one model under five metrics")
loss = table.max(axis=0) - table
ax.imshow(-loss, cmap="Blues", aspect="auto")
for (row, column), value in np.ndenumerate(table):
    weight = "bold" if loss[row, column] == 0 else "normal"
    color = "white" if loss[row, column] < 0.3 * loss.max() else "black"
    ax.text(column, row, f"{value:.3f}", ha="center", va="center", weight=weight, color=color)
ax.set_xticks(range(len(measures)), measures)
ax.set_yticks(range(len(decided)), decided)
ax.set_ylabel("decided for")

# %%
# Expected and real value agree if the distribution is right. The joint knows the expectation
# before any label is known:

joint = model.predict_joint(X_new)
sets = decided["exact match"]
expected = np.exp(joint.log_prob(sets)).mean()
print(f"exact match: expected {expected:.2f}, found {metrics.subset_accuracy(Y_new, sets):.2f}")
