"""# Tag texts, from the first line to a saved model

Support tickets come with topics. This page takes them from a list of texts to tags, decides which
tags can be trusted without a person, explains one answer and saves the model.

The tickets are generated, so that the page runs anywhere: phrases of one to three topics, noise
words, typing errors.
"""

import numpy as np

TOPICS = {
    "billing": ["charged twice", "wrong invoice", "the refund is late", "card was declined"],
    "delivery": ["parcel never came", "courier left it outside", "tracking is stuck"],
    "damage": ["screen is cracked", "arrived broken", "box was crushed"],
    "account": ["cannot log in", "reset the password", "email is not accepted"],
    "praise": ["thank you so much", "great service", "very happy"],
}
CHATTER = ["hello", "please", "order", "number", "yesterday", "still", "since", "asked", "team"]


def misspell(word, rng):
    """Drop a letter of one word in ten."""
    drop = rng.integers(len(word)) if len(word) > 4 and rng.random() < 0.1 else len(word)
    return word[:drop] + word[drop + 1 :]


def make_tickets(n, seed):
    """Return n texts and their tags; damage mostly comes with delivery, said or not."""
    rng = np.random.default_rng(seed)
    names = list(TOPICS)
    texts, tags = [], []
    for _ in range(n):
        chosen = set(rng.choice(names, rng.choice([1, 2], p=[0.7, 0.3]), replace=False))
        if "damage" in chosen and rng.random() < 0.8:
            chosen.add("delivery")
        silent = {"delivery"} if "damage" in chosen and rng.random() < 0.5 else set()
        said = [rng.choice(TOPICS[name]) for name in sorted(chosen - silent)]
        words = " ".join([*said, *rng.choice(CHATTER, 6)]).split()
        texts.append(" ".join(misspell(str(word), rng) for word in words))
        tags.append(sorted(str(name) for name in chosen))
    return texts, tags


texts, tags = make_tickets(450, seed=0)
new_texts, new_tags = make_tickets(300, seed=1)
print(texts[1], "->", tags[1])

# %%
# ## Fit
#
# `TableEncoder` turns texts into weighted words and runs of letters, which survive typing errors.
# `PairwiseCRF` learns which tags go together. `CalibratedSetClassifier` learns how far the answers
# can be trusted. The encoder is inside, so that every fold of the calibration has an encoder of
# its own.

from labelfield import (
    BinaryRelevance,
    CalibratedSetClassifier,
    PairwiseCRF,
    TableEncoder,
    make_pipeline,
)

model = CalibratedSetClassifier(make_pipeline(TableEncoder(), PairwiseCRF()), cv=3)
model.fit(texts, tags)
for text, found in zip(new_texts[:3], model.predict_names(new_texts[:3])):
    print(f"{', '.join(found):20} {text}")
print(f"right sets: {model.score(new_texts, new_tags):.2f}")

# %%
# ## Accept or review
#
# Some tickets about damage mean the delivery too and do not say so: nobody can be sure of them.
# `route` accepts the sets that are right at the wished rate, with a guarantee, and leaves the
# others to a person.

route = model.route(new_texts, accuracy=0.95)
right = np.array([set(a) == set(b) for a, b in zip(model.predict_names(new_texts), new_tags)])
print(f"accepted {route.accept.mean():.2f}, of these right {right[route.accept].mean():.2f}")

# %%
# The curve shows what other wishes would cost, and the diagram whether the stated confidence is
# worth its number.

from matplotlib import pyplot as plt

from labelfield import AutomationDisplay, ReliabilityDisplay

figure, (left, middle) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
figure.set_label("Accuracy against the share of accepted tickets, and a reliability diagram")
automation = AutomationDisplay.from_estimator(
    model, new_texts, new_tags, target=0.95, name="tickets", ax=left
)
reliability = ReliabilityDisplay.from_estimator(
    model, new_texts, new_tags, n_bins=5, name="tickets", ax=middle
)

# %%
# ## Why these tags?
#
# A pipeline that ends in a linear model explains a set by its words.

plain = make_pipeline(TableEncoder(letters=False), BinaryRelevance()).fit(texts, tags)
why = plain.explain(["the box was crushed and I was charged twice"], n_rivals=1)[0]
print(why)

# %%
# ## Save and load

from labelfield import load

model.save("tickets.lf")
same = load("tickets.lf")
print(same.predict_names(["parcel never came, tracking is stuck"]))

# %%
# The command line does the same with a CSV file: `labelfield fit tickets.csv --tags topics --out
# tickets.lf`, then `labelfield predict`; see [Work on the command line](../guide/command-line.md).
