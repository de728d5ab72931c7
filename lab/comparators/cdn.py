"""CDN: every label given all others, and Gibbs sampling to predict."""

import numpy as np
from scipy.special import expit

from labelfield._gate.validation import as_generator
from labelfield._parameters import STRENGTH, declare, whole
from labelfield.base import JointClassifier
from labelfield.joints import IndependentJoint
from labelfield.learners.conditional import fit_labels

__all__ = ["ConditionalDependencyNetwork", "gibbs_marginals"]


class ConditionalDependencyNetwork(JointClassifier):
    """CDN: a logistic regression of every label on x and all other labels, read by Gibbs sampling.

    The conditionals need not belong to any joint distribution: what is predicted are the
    marginals of the distribution in which sweeps over the labels settle, one label after the
    other, averages of P(y_l = 1 | x, others) over the draws after `n_burn_in` sweeps.

    Parameters
    ----------
    n_burn_in, n_draws : int, default=100 and 400
        Sweeps that are thrown away, and that are averaged over.
    alpha : float or "auto", default=1.0
    max_iter, tol : int, float
        Of the logistic regressions.
    decoder : str or Decoder, default="hamming"
    random_state : int, Generator or None
        All rows share their random numbers, so that no row's answer depends on the others.

    References
    ----------
    Guo, Gu (2011): Multi-label classification using conditional dependency networks. IJCAI.

    Examples
    --------
    >>> from lab.comparators.cdn import ConditionalDependencyNetwork
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=4, random_state=0)
    >>> ConditionalDependencyNetwork(random_state=0).fit(data.X, data.Y).predict(data.X[:3]).shape
    (3, 4)
    """

    _parameter_constraints = declare(
        "max_iter",
        "tol",
        "decoder",
        "random_state",
        alpha=STRENGTH,
        n_burn_in=[whole(0)],
        n_draws=[whole(1)],
    )

    def __init__(
        self,
        *,
        n_burn_in=100,
        n_draws=400,
        alpha=1.0,
        max_iter=1000,
        tol=1e-6,
        decoder="hamming",
        random_state=None,
    ):
        self.n_burn_in = n_burn_in
        self.n_draws = n_draws
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.decoder = decoder
        self.random_state = random_state

    def _fit(self, X, Y):
        options = {"alpha": self.alpha, "max_iter": self.max_iter, "tol": self.tol}
        self.problems_ = fit_labels(None, X, Y, parents=~np.eye(Y.shape[1], dtype=bool), **options)
        self.alpha_, self.strength_path_ = self.problems_.alpha, self.problems_.path
        self.seed_ = int(as_generator(self.random_state).integers(2**32))

    def _joint(self, X):
        logits = np.asarray(X @ self.problems_.coef) + self.problems_.intercept
        rng = np.random.default_rng(self.seed_)
        marginals = gibbs_marginals(
            logits, self.problems_.coupling, self.n_burn_in, self.n_draws, rng
        )
        return IndependentJoint.from_probabilities(marginals)


def gibbs_marginals(logits, coupling, n_burn_in, n_draws, rng):
    """Return means (n, L) of P(y_l = 1 | y) = expit(logits_l + sum_m y_m coupling_ml) over sweeps.

    logits (n, L); coupling (L, L) with a diagonal of zeros. Sweeps begin with no labels.
    """
    labels, total = np.zeros(logits.shape), np.zeros(logits.shape)
    for sweep in range(n_burn_in + n_draws):
        numbers = rng.random(logits.shape[1])
        for j in range(logits.shape[1]):
            p = expit(logits[:, j] + labels @ coupling[:, j])
            labels[:, j] = numbers[j] < p
            if sweep >= n_burn_in:
                total[:, j] += p
    return np.minimum(total / n_draws, 1.0)
