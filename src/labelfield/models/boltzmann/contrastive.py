"""Learning a conditional restricted Boltzmann machine by contrastive divergence."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from labelfield import kernels
from labelfield.joints import RBMJoint
from labelfield.kernels.sets.bits import all_sets, unique_sets
from labelfield.learners.rows.design import as_design

__all__ = ["ChainLearner", "Climber", "Weights", "exact_moments"]

MEMORY = 0.95  # of the running means of the hidden units
RESTARTED = 0.3  # share of the chains that begin anew in a step
STARTS = 256


@dataclass
class Weights:
    """Parameters of p(y | x) ~ sum_h exp(y . (coef' x + bias) + y . coupling h + hidden_bias . h).

    Attributes
    ----------
    coef : (d, L) array
    coupling : (L, J) array
    bias : (L,) array
    hidden_bias : (J,) array
    """

    coef: np.ndarray
    coupling: np.ndarray
    bias: np.ndarray
    hidden_bias: np.ndarray

    @classmethod
    def start(cls, n_features, rates, n_hidden, scale, rng):
        """Return weights with no effect of the features and small random couplings.

        Parameters
        ----------
        rates : (L,) array
            How often each label is present, within (0, 1).
        """
        coupling = scale * rng.normal(size=(len(rates), n_hidden))
        return cls(np.zeros((n_features, len(rates))), coupling, logit(rates), np.zeros(n_hidden))

    def unary(self, X):
        """Return the labels' own log-odds of features X (n, d): (n, L)."""
        return as_design(X).matmul(self.coef) + self.bias

    def arrays(self):
        """Return the four arrays, in the order of their gradients."""
        return self.coef, self.coupling, self.bias, self.hidden_bias


class ChainLearner:
    """Mini-batch steps along the (approximate) gradient of the log-likelihood.

    Parameters
    ----------
    X : (n, d) array or CSR matrix
    Y : (n, L) uint8 array
        Labels to learn; `free` ones (n, L) are drawn anew in epochs with `impute`.
    offset : (n, L) array or float
        Added to the log-odds of free labels when they are drawn.
    weights : Weights
        Changed in place.
    settings : ContrastiveDivergence
    climb : callable
        Takes a step of one array: `climb(which, gradient)`.
    rng : Generator
    """

    def __init__(
        self,
        X,
        Y,
        weights,
        *,
        settings,
        climb,
        rng,
        free=None,
        offset=0.0,
    ):
        self.X, self.Y, self.weights = X, Y.copy(), weights
        self.free, self.offset = free, offset
        self.n_steps, self.batch_size = settings.n_steps, settings.batch_size
        self.chains = Y.copy() if settings.persistent else None
        self.sets = None  # different label sets of the rows, renewed in every epoch
        self.label_means = self.Y.mean(axis=0) if settings.centered else None
        self.hidden_means = np.full(len(weights.hidden_bias), 0.5)
        self.climb, self.rng = climb, rng

    def epoch(self, *, impute=False):
        """Visit every row once; return the mean cross-entropy of the reconstructed labels."""
        order = self.rng.permutation(len(self.Y))
        self.sets = unique_sets(self.Y) if self.chains is not None else None
        loss = 0.0
        for first in range(0, len(order), self.batch_size):
            loss += self._step(order[first : first + self.batch_size], impute)
        return loss / self.Y.size

    def _step(self, rows, impute):
        """Climb along the gradient of some rows; return their summed cross-entropy."""
        design = as_design(self.X[rows])
        unary = design.matmul(self.weights.coef) + self.weights.bias
        if impute:
            self._impute(rows, unary)
        Y = self.Y[rows].astype(float)
        data = _moments(Y, self._hidden(Y))
        if self.n_steps == "exact":
            means, model = exact_moments(unary, self.weights)
        else:
            means, model = self._chain_moments(rows, unary, Y)
        for which, gradient in enumerate(self._gradients(design, Y - means, data, model)):
            self.climb(which, gradient)
        chance = np.clip(means, 1e-12, 1.0 - 1e-12)
        return -float(np.where(Y > 0, np.log(chance), np.log1p(-chance)).sum())

    def _gradients(self, design, residual, data, model):
        """Return the four gradients of the mean log-likelihood of a batch.

        residual (B, L): labels minus their means; `data` and `model` are moments.
        """
        pairs, labels, hidden = (a - b for a, b in zip(data, model))
        own, coef = residual.mean(axis=0), design.rmatmul(residual) / len(residual)
        if self.label_means is None:
            return coef, pairs, own, hidden
        # with both layers centred, hidden units do not all learn the mean label first
        self.hidden_means *= MEMORY
        self.hidden_means += (1.0 - MEMORY) * data[2]
        pairs -= np.outer(self.label_means, hidden) + np.outer(labels, self.hidden_means)
        return coef, pairs, own - pairs @ self.hidden_means, hidden - self.label_means @ pairs

    def _chain_moments(self, rows, unary, Y):
        """Return means (B, L) and moments of the labels at the end of the rows' chains."""
        start = Y if self.chains is None else self._continued(rows, unary)
        means, drawn = self._reconstruct(unary, start)
        if self.chains is not None:
            self.chains[rows] = drawn
        return means, _moments(drawn, self._hidden(drawn))

    def _continued(self, rows, unary):
        """Return where the rows' chains are: (B, L).

        Chains do not cross from one group of labels to another, so that nothing would tell how
        probable the groups are. Some therefore begin anew at label sets of the training rows,
        drawn by their probability.
        """
        start = self.chains[rows].astype(float)
        anew = np.flatnonzero(self.rng.random(len(rows)) < RESTARTED)
        sets = self.sets[self.rng.permutation(len(self.sets))[:STARTS]].astype(float)
        hidden = sets @ self.weights.coupling + self.weights.hidden_bias
        scores = unary[anew] @ sets.T + np.logaddexp(0.0, hidden).sum(axis=1)
        # the largest of scores with Gumbel noise is a draw from their softmax
        start[anew] = sets[(scores + self.rng.gumbel(size=scores.shape)).argmax(axis=1)]
        return start

    def _reconstruct(self, unary, Y):
        """Run the chain from Y: means and draws (B, L) of the labels at its end."""
        for _ in range(self.n_steps):
            hidden = self._hidden(Y)
            states = (self.rng.random(hidden.shape) < hidden).astype(float)
            means = expit(unary + states @ self.weights.coupling.T)
            Y = (self.rng.random(means.shape) < means).astype(float)
        return means, Y

    def _impute(self, rows, unary):
        """Draw the free labels of some rows given their other labels and features."""
        free = self.free[rows]
        hidden = self._hidden(self.Y[rows].astype(float))
        states = (self.rng.random(hidden.shape) < hidden).astype(float)
        odds = unary + states @ self.weights.coupling.T + self.offset
        drawn = self.rng.random(odds.shape) < expit(odds)
        self.Y[rows] = np.where(free, drawn, self.Y[rows])

    def _hidden(self, Y):
        return expit(Y @ self.weights.coupling + self.weights.hidden_bias)


def _moments(Y, hidden):
    """Return means of y h' (L, J), of y (L,) and of h (J,) over rows Y (B, L), hidden (B, J)."""
    return Y.T @ hidden / len(Y), Y.mean(axis=0), hidden.mean(axis=0)


def exact_moments(unary, weights):
    """Sum over all label sets: means (B, L) of the labels and the moments of the model.

    Parameters
    ----------
    unary : (B, L) array
    weights : Weights
    """
    joint = RBMJoint(unary, weights.coupling, weights.hidden_bias)
    sets = all_sets(unary.shape[1]).astype(float)
    hidden = expit(sets @ weights.coupling + weights.hidden_bias)
    mean_prob, means = np.zeros(len(sets)), np.empty(unary.shape)
    for rows, block in joint.blocks(40.0 * len(sets)):
        p = np.exp(block.restrict(sets).log_weights)
        mean_prob += p.sum(axis=0)
        means[rows] = p @ sets
    mean_prob /= len(unary)
    return means, ((sets * mean_prob[:, None]).T @ hidden, mean_prob @ sets, mean_prob @ hidden)


class Climber:
    """Steps of Adagrad for each array of the weights.

    Parameters
    ----------
    weights : Weights
    rate : float
        Step size.
    decay : float
        Strength of the l2 penalty of coef and coupling, against the mean log-likelihood.
    """

    def __init__(self, weights, rate, decay):
        self.arrays = weights.arrays()
        self.memory = [np.zeros(array.size) for array in self.arrays]
        self.rate, self.decays = rate, (decay, decay, 0.0, 0.0)

    def __call__(self, which, gradient):
        """Change an array of the weights along its gradient."""
        kernels.fields.rbm.adagrad_step(
            self.arrays[which].reshape(-1),
            np.ascontiguousarray(gradient).reshape(-1),
            self.memory[which],
            self.rate,
            self.decays[which],
        )
