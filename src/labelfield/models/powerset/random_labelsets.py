"""Power sets of small random groups of labels."""

from itertools import combinations
from math import comb

import numpy as np

from labelfield._gate.reading import count_rows
from labelfield._gate.validation import as_generator
from labelfield._parameters import STRENGTH, choice, declare, whole
from labelfield._progress import report_steps
from labelfield.base import WeightedJointClassifier
from labelfield.joints import IndependentJoint
from labelfield.models.powerset.label_powerset import LabelPowerset

__all__ = ["RandomLabelsets"]

# Up to this many groups the missing ones are listed and drawn from, instead of tried for.
MAX_LISTED = 20_000


class RandomLabelsets(WeightedJointClassifier):
    """RAkEL: power sets of random groups of k labels, which vote on each label.

    Parameters
    ----------
    estimator : scikit-learn classifier, optional
        The multi-class classifier of each group, see `LabelPowerset`.
    set_size : int, default=3
        Labels in a group.
    n_sets : int, optional
        Number of groups; 2 L by default, or as many as there are.
    overlapping : bool, default=True
        Whether groups may share labels (RAkELo); otherwise the labels are dealt out once (RAkELd)
        and `n_sets` must be left None.
    voting : {"soft", "hard"}, default="soft"
        Average the groups' marginal probabilities, or their decisions as in the paper.
    alpha, max_iter, tol : float or "auto", int, float
        Of the default classifier, see `LabelPowerset`; "auto" takes the strength that is best for
        the first group with several label sets.
    decoder : str or Decoder, default="subset"
    rules : LabelRules, optional
        Rules that all answers keep: the joint is conditioned on them.
    on_violation : {"error", "close", "drop", "keep"}, default="error"
        What becomes of training rows that break a rule: "close" adds the labels they imply.
    random_state : int, RandomState or Generator, optional

    Attributes
    ----------
    labelsets_ : list of arrays of label indices
    models_ : list of LabelPowerset
    alpha_, strength_path_ : float, StrengthPath
        The strength and how it was chosen (None where it was not), with the default classifier.

    References
    ----------
    Tsoumakas, Katakis, Vlahavas (2011): Random k-labelsets for multilabel classification.
    IEEE TKDE 23(7).

    Examples
    --------
    >>> from labelfield import RandomLabelsets
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=5, random_state=0)
    >>> X, Y = data.X, data.Y
    >>> RandomLabelsets(random_state=0).fit(X, Y).predict(X[:2]).shape
    (2, 5)
    """

    _parameter_constraints = declare(
        "estimator",
        "max_iter",
        "tol",
        "decoder",
        "on_violation",
        "rules",
        "random_state",
        alpha=STRENGTH,
        set_size=[whole(1)],
        n_sets=[whole(1), None],
        overlapping=["boolean"],
        voting=[choice("soft", "hard")],
    )

    def __init__(
        self,
        estimator=None,
        *,
        set_size=3,
        n_sets=None,
        overlapping=True,
        voting="soft",
        alpha="auto",
        max_iter=1000,
        tol=1e-6,
        decoder="subset",
        rules=None,
        on_violation="error",
        random_state=None,
    ):
        self.estimator = estimator
        self.set_size = set_size
        self.n_sets = n_sets
        self.overlapping = overlapping
        self.voting = voting
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.decoder = decoder
        self.rules = rules
        self.on_violation = on_violation
        self.random_state = random_state

    def _fit(self, X, Y, sample_weight=None):
        self._check_parameters()
        rng = as_generator(self.random_state)
        self.labelsets_ = draw_labelsets(
            Y.shape[1], self.set_size, self.n_sets, self.overlapping, rng
        )
        options = {"max_iter": self.max_iter, "tol": self.tol}
        self.models_, self.alpha_, self.strength_path_ = [], None, None
        steps = report_steps(self, self.labelsets_, total=len(self.labelsets_), name="labelset")
        for labels in steps:
            alpha = self.alpha if self.alpha_ is None else self.alpha_
            model = LabelPowerset(self.estimator, alpha=alpha, **options)
            self.models_.append(model.fit(X, Y[:, labels], sample_weight))
            if self.alpha_ is None:
                self.alpha_, self.strength_path_ = model.alpha_, model.strength_path_
        self.n_iter_ = max(model.n_iter_ for model in self.models_)

    def _check_parameters(self):
        if not self.overlapping and self.n_sets is not None:
            raise ValueError(
                f"n_sets={self.n_sets} with overlapping=False: disjoint groups are as many as "
                "the labels and set_size say; leave n_sets None."
            )

    def _joint(self, X):
        votes = np.zeros((count_rows(X), len(self.label_names_)))
        counts = np.zeros(len(self.label_names_))
        for labels, model in zip(self.labelsets_, self.models_):
            joint = model._joint(X)
            votes[:, labels] += joint.marginals() if self.voting == "soft" else joint.mode()
            counts[labels] += 1
        return IndependentJoint.from_probabilities(votes / counts)


def draw_labelsets(n_labels, set_size, n_sets, overlapping, rng):
    """Draw distinct groups of labels that together hold every label.

    Labels are dealt from shuffled decks, so that none is left out; what dealing cannot supply
    after a bounded number of decks is drawn from the list of groups still missing.
    """
    size = min(set_size, n_labels)
    if not overlapping:
        deck = rng.permutation(n_labels)
        return [np.sort(deck[i : i + size]) for i in range(0, n_labels, size)]
    n_possible = comb(n_labels, size)
    wanted = min(2 * n_labels if n_sets is None else n_sets, n_possible)
    wanted = max(wanted, -(-n_labels // size))
    found = {}
    for _ in range(4 * wanted):
        deck = rng.permutation(n_labels)
        deck = np.append(deck, deck[: -n_labels % size])
        for group in np.sort(deck.reshape(-1, size), axis=1):
            found.setdefault(tuple(group.tolist()))
        if len(found) >= wanted:
            break
    if len(found) < wanted and n_possible <= MAX_LISTED:
        missing = [g for g in combinations(range(n_labels), size) if g not in found]
        for i in rng.permutation(len(missing))[: wanted - len(found)]:
            found.setdefault(missing[i])
    return [np.array(group) for group in list(found)[:wanted]]
