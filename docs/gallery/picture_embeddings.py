"""# Label pictures from their embeddings

Pictures reach labelfield as vectors, whichever network made them. Here each picture of three
handwritten digits is described by its similarity to 100 prototypes, an embedding small enough to
come with the library.
"""

import pandas as pd
from matplotlib import pyplot as plt

from labelfield.datasets import broken_rules, load_digit_scenes

train = load_digit_scenes(n_train=400, split="train")
test = load_digit_scenes(n_test=300, split="test")
names = train.label_names
Y = pd.DataFrame(train.Y, columns=names)  # so that models know the names

figure, axes = plt.subplots(1, 3, figsize=(8, 1.6), layout="constrained")
figure.set_label("Three pictures of three digits each, with their labels")
for ax, image, labels in zip(axes, test.truth["images"], test.Y):
    ax.imshow(image, cmap="gray_r")
    ax.set_title(", ".join(n for n, on in zip(names, labels) if on), fontsize=6)
    ax.set_axis_off()

# %%
# ## A classifier per label, or sets as a whole?
#
# Ten labels say which digits are there, six more follow from these. One classifier per label
# (binary relevance) does not know that and predicts impossible sets. A power set learns whole
# sets. A field on top of binary relevance corrects it by what it learned about pairs, and chooses
# among the sets seen in training.

from labelfield import BinaryRelevance, LabelPowerset, PairwiseCRF
from labelfield.metrics import average_precision, f1_score, subset_accuracy

models = {
    "binary relevance": BinaryRelevance(),
    "power set": LabelPowerset(),
    "field": PairwiseCRF(),
}
print(f"{'':18}exact match    F1  broken rules  average precision")
for name, model in models.items():
    model.fit(train.X, Y)
    sets = model.predict(test.X)
    print(
        f"{name:18}{subset_accuracy(test.Y, sets):11.2f}"
        f"{f1_score(test.Y, model.predict(test.X, decoder='f1')):6.2f}"
        f"{broken_rules(sets).mean():14.2f}"
        f"{average_precision(test.Y, model.predict_proba(test.X)):19.2f}"
    )

# %%
# ## Which labels are hard?

from labelfield import PrecisionRecallDisplay

digits = PrecisionRecallDisplay.from_estimator(
    models["field"],
    test.X,
    test.Y,
    labels=["digit 0", "digit 1", "digit 8", "even", "prime", "neighbours"],
)
digits.figure_.set_label("Precision against recall of six labels")

# %%
# Zeros are found without a mistake; ones are the hardest digit of the three.
