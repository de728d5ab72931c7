"""Mixtures and candidates looked at: clusters of labels, components of a case, reranked sets."""

from functools import partial
from itertools import compress

import numpy as np

from lab.building import build
from lab.drawings.drawing import Drawing
from lab.pages.markdown import render_rows
from lab.sources import Stored
from lab.table import Model
from labelfield import BernoulliMixture
from labelfield.kernels.sets.logspace import expit

__all__ = ["MIXTURES"]

SHOWN_LABELS = 12
LEAST_SHARE = 0.02  # of the rows
SHOWN_COMPONENTS = 4
SHOWN_SETS = 6


def draw_clusters(figure) -> list[str]:
    """Write the labels of three clusters, larger where more probable."""
    data = Stored("corel5k").load()
    mixture = BernoulliMixture(
        n_components=20, n_init=3, max_iter=1000, tol=1e-4, random_state=0
    ).fit(data.Y)
    joint = mixture.joint()
    probabilities = expit(joint.logits[0])
    lift = probabilities - data.Y.mean(axis=0)
    shares = np.exp(joint.log_weights[0])
    telling = np.sort(lift, axis=1)[:, -SHOWN_LABELS:].sum(axis=1)
    largest = np.argsort(-np.where(shares >= LEAST_SHARE, telling, -np.inf))[:3]
    figure.set_size_inches(9.0, 3.4)
    for axis, k in zip(figure.subplots(1, 3), largest):
        axis.set_axis_off()
        axis.set_title(f"{shares[k]:.1%} of the rows", fontsize=9)
        labels = np.argsort(-probabilities[k])[:SHOWN_LABELS]
        for place, label in enumerate(labels):
            size = 6.0 + 16.0 * probabilities[k, label]
            height = 0.95 - place / SHOWN_LABELS
            name = data.label_names[label]
            axis.text(0.5, height, name, fontsize=size, ha="center", va="center")
    return []


def draw_components(figure) -> list[str]:
    """Draw the components that matter most for a row that independent labels get wrong."""
    train, test = Stored("scene").load("train"), Stored("scene").load("test")
    mixture = build(Model("cbm", {"n_components": 20}), seed=0).fit(train.X, train.Y)
    apart = build(Model("br", {"alpha": 10.0})).fit(train.X, train.Y)
    by_mixture, by_labels = mixture.predict(test.X), apart.predict(test.X)
    right = (by_mixture == test.Y).all(axis=1) & (by_labels != test.Y).any(axis=1)
    row = int((right & (test.Y.sum(axis=1) == 2)).argmax())
    joint = mixture.predict_joint(test.X[[row]])
    weights = np.exp(joint.log_weights[0])
    figure.set_size_inches(9.0, 2.8)
    axes = figure.subplots(1, SHOWN_COMPONENTS, sharey=True)
    for axis, k in zip(axes, np.argsort(-weights)):
        axis.barh(test.label_names, expit(joint.logits[0, k]), color="#2166ac")
        axis.set_title(f"weight {weights[k]:.2f}", fontsize=9)
        axis.set_xlim(0, 1)
    axes[0].invert_yaxis()
    names = [_set_name(test, sets[row]) for sets in (test.Y, by_mixture, by_labels)]
    return ["True set: {}. Mixture: {}. Independent labels: {}.".format(*names)]


def draw_candidates(figure, name: str = "scene", alpha: float = 10.0, count: int = 1) -> list[str]:
    """List the candidates of rows that reranking mends, with both probabilities."""
    train, test = Stored(name).load("train"), Stored(name).load("test")
    inner = Model("br", {"alpha": alpha})
    apart = build(inner).fit(train.X, train.Y)
    ranked = build(Model("rerank", {"estimator": inner}), seed=0).fit(train.X, train.Y)
    by_labels, by_rank = apart.predict(test.X), ranked.predict(test.X)
    mended = (by_rank == test.Y).all(axis=1) & (by_labels != test.Y).any(axis=1)
    figure.set_size_inches(8.0 if count == 1 else 11.0, 4.0)
    below: list[str] = []
    for axis, row in zip(
        figure.subplots(1, count, squeeze=False)[0], np.argsort(~mended, kind="stable")
    ):
        X, true_set = test.X[[row]], _set_name(test, test.Y[row])
        sets, probabilities = _candidates(apart.predict_joint(X), ranked.predict_joint(X))
        names = [_set_name(test, one) for one in sets]
        _draw_candidates(axis, names, *probabilities)
        lines = [[name, f"{a:.3f}", f"{b:.3f}"] for name, a, b in zip(names, *probabilities)]
        below += [f"True set: {true_set}.", ""]
        below += [*render_rows(["candidate", "product", "reranked"], lines), ""]
    return below[:-1]


def _candidates(before, after):
    """Return the best sets of a row before reranking, and their probabilities before and after."""
    sets, _ = before.top_k(SHOWN_SETS)
    return sets[0], [np.exp(one.log_prob(sets))[0] for one in (before, after)]


def _draw_candidates(axis, names: list[str], raw, calibrated) -> None:
    place = np.arange(len(names))
    axis.barh(place - 0.2, raw, 0.4, label="product of the labels", color="0.6")
    axis.barh(place + 0.2, calibrated, 0.4, label="reranked confidence", color="#2166ac")
    axis.set_yticks(place, names, fontsize=7)
    axis.invert_yaxis()
    axis.legend(fontsize=8)


def _set_name(data, labels) -> str:
    names = compress(data.label_names, labels)
    return " + ".join(name.removeprefix("TAG_") for name in names) or "(none)"


MIXTURES = (
    Drawing(
        "cli2019-fig3.2",
        "Three label clusters of a Bernoulli mixture",
        "Corel5K stands in for MSCOCO; of 20 components those three that differ most from the "
        "average and hold at least 2 % of the rows.",
        draw_clusters,
        "corel5k",
    ),
    Drawing(
        "cli2019-fig3.5",
        "The components that matter most for a row",
        "A test row of scene stands in for an image of NUS-WIDE: the first with two labels that "
        "the mixture gets right and independent labels do not.",
        draw_components,
        "scene",
    ),
    Drawing(
        "cli2019-fig4.4",
        "The candidates of a row before and after reranking",
        "The first test row of scene that reranking mends stands in for an image of MSCOCO.",
        draw_candidates,
        "scene",
    ),
    Drawing(
        "cli2019-4.2",
        "The candidates of two rows before and after reranking",
        "The first two test articles of bibtex that reranking mends stand in for two images.",
        partial(draw_candidates, name="bibtex", alpha=1.0, count=2),
        "bibtex",
    ),
)
