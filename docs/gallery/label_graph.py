"""# See how labels depend on each other

Three views of the labels of pictures of digits: how often they occur together, what a model of
independent labels makes of it, and the graph that a label field learns.
"""

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

from labelfield import BinaryRelevance, CorrelatedLogistic, PairHeatmapDisplay
from labelfield.datasets import load_digit_scenes

train = load_digit_scenes(n_train=600, split="train")
test = load_digit_scenes(n_test=300, split="test")
Y = pd.DataFrame(train.Y, columns=train.label_names)
shown = ["digit 2", "digit 7", "digit 8", "even", "odd", "prime", "large", "neighbours"]

figure, axes = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
figure.set_label("Shares of labels given others, in the data and as independent labels have it")
independent = BinaryRelevance(alpha=3.0).fit(train.X, Y)
PairHeatmapDisplay.from_predictions(
    test.Y, label_names=train.label_names, labels=shown, ax=axes[0], reorder=False, colorbar=False
)
PairHeatmapDisplay.from_estimator(independent, test.X, labels=shown, ax=axes[1], reorder=False)
axes[0].set_title("in the test pictures")
axes[1].set_title("expected by independent labels")

# %%
# A picture with a 7 always has a prime and a large digit: the row "digit 7" is 1 there. The
# independent model has both labels likely where it sees a 7, but not certain.
#
# ## The graph of a field
#
# `CorrelatedLogistic` learns a coupling per pair of labels beside the features. What features
# already explain needs no link: the graph is sparser than the table of correlations.

from labelfield import LabelGraphDisplay

field = CorrelatedLogistic(objective="pseudo", alpha=3.0, edge_alpha=80.0).fit(train.X, Y)
graph = field.label_graph_
print(f"{len(graph.edges())} of {16 * 15 // 2} pairs are linked")
for first, second, weight in graph.edges()[:4]:
    print(f"{first:8} {second:10} {weight:+.1f}")
display = LabelGraphDisplay.from_estimator(field)
display.figure_.set_label("Links between sixteen labels of pictures of digits")

# %%
# ## What the graph is good for
#
# Known labels inform the others. If somebody has seen that a picture holds a large digit and no 7,
# then:

before = field.predict_proba(test.X[:1])[0]
known = np.full((1, 16), np.nan)
known[0, [train.label_names.index("large"), train.label_names.index("digit 7")]] = 1, 0
after = field.predict_given(test.X[:1], known)[0]
for name in ("digit 8", "digit 9", "prime"):
    k = train.label_names.index(name)
    print(f"{name:8} {before[k]:.2f} -> {after[k]:.2f}")
