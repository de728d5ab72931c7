"""DVN: a network that foretells the F1 of a label set, climbed to predict one."""

import numpy as np

from lab.comparators.networks import (
    as_tensor,
    climb_in_cube,
    draw_weights,
    from_arrays,
    hidden_features,
    perceptron,
    train,
)
from labelfield._gate.validation import as_generator
from labelfield._parameters import at_least, declare, positive, whole
from labelfield.base import JointClassifier
from labelfield.joints import IndependentJoint

__all__ = ["DeepValueNetwork", "relaxed_f1", "value_odds"]


class DeepValueNetwork(JointClassifier):
    """DVN: log-odds of a set's value y' (B f(x) + b) + c' softplus(C [f(x), y]), f a perceptron.

    The value of a relaxed set y is its F1, with minima for what it shares with the true set and
    maxima for the union. It is learned by cross-entropy from sets that the network itself gives:
    half of a batch by climbing the value from the empty set, as predictions are made; half by
    climbing the loss; and the true sets. Steps of climbing are projected on the unit cube.

    Needs torch.

    Parameters
    ----------
    n_hidden, n_global : int, default=150 and 32
        Units of f, and columns of C.
    n_epochs : int, default=40
    learning_rate, decay : float, default=1e-3 and 1e-4
        Of Adam, and strength of its l2 penalty.
    batch_size : int, default=64
    n_steps, step : int and float, default=30 and 0.1
        Steps of climbing and their length, on the log-odds of the value.
    decoder : str or Decoder, default="hamming"
        "hamming" rounds the relaxed labels.
    random_state : int, Generator or None

    Attributes
    ----------
    weights_ : dict of arrays
    trace_ : list of float
        Mean loss of each epoch.

    References
    ----------
    Gygli, Norouzi, Angelova (2017): Deep value networks learn to evaluate and iteratively refine
    structured outputs. ICML.
    """

    _parameter_constraints = declare(
        "decoder",
        "random_state",
        n_hidden=[whole(1)],
        n_global=[whole(1)],
        n_epochs=[whole(1)],
        learning_rate=[positive],
        decay=[at_least(0)],
        batch_size=[whole(1)],
        n_steps=[whole(1)],
        step=[positive],
    )

    def __init__(
        self,
        *,
        n_hidden=150,
        n_global=32,
        n_epochs=40,
        learning_rate=1e-3,
        decay=1e-4,
        batch_size=64,
        n_steps=30,
        step=0.1,
        decoder="hamming",
        random_state=None,
    ):
        self.n_hidden = n_hidden
        self.n_global = n_global
        self.n_epochs = n_epochs
        self.learning_rate = learning_rate
        self.decay = decay
        self.batch_size = batch_size
        self.n_steps = n_steps
        self.step = step
        self.decoder = decoder
        self.random_state = random_state

    def _fit(self, X, Y):
        import torch

        rng, x, y = as_generator(self.random_state), as_tensor(X), as_tensor(Y)
        shapes = perceptron(X.shape[1], self.n_hidden, Y.shape[1])
        shapes |= {"C": (self.n_hidden + Y.shape[1], self.n_global), "c": (self.n_global,)}
        weights = draw_weights(shapes, rng)

        def loss_of(rows):
            features, truth = hidden_features(weights, x[rows]), y[rows]
            sets = torch.cat([self._practice(weights, features.detach(), truth), truth])
            values = torch.cat([features, features]), sets, torch.cat([truth, truth])
            return value_loss(weights, *values).mean()

        self.trace_ = train(
            loss_of,
            weights,
            len(Y),
            n_epochs=self.n_epochs,
            batch_size=self.batch_size,
            learning_rate=self.learning_rate,
            decay=self.decay,
            rng=rng,
        )
        self.weights_ = {name: value.detach().numpy() for name, value in weights.items()}

    def _practice(self, weights, features, truth):
        """Return sets (n, L) to learn from: of the first half good ones, then misjudged ones."""
        import torch

        half = len(truth) // 2

        def misjudged(sets):
            return value_loss(weights, features[half:], sets, truth[half:])

        start = torch.zeros_like(truth[half:])
        wrong = climb_in_cube(misjudged, start, self.n_steps, self.step)
        return torch.cat([self._climb(weights, features[:half]), wrong])

    def _climb(self, weights, features):
        def goodness(sets):
            return value_odds(weights, features, sets)

        start = features.new_zeros((len(features), len(weights["b"])))
        return climb_in_cube(goodness, start, self.n_steps, self.step)

    def _joint(self, X):
        weights = from_arrays(self.weights_)
        found = self._climb(weights, hidden_features(weights, as_tensor(X)))
        return IndependentJoint.from_probabilities(np.asarray(found, dtype=np.float64))


def value_odds(weights, features, sets):
    """Return the log-odds of the values of relaxed sets (n, L), given features (n, h): (n,)."""
    import torch

    alone = (sets * (features @ weights["B"] + weights["b"])).sum(dim=1)
    both = torch.cat([features, sets], dim=1)
    return alone + torch.nn.functional.softplus(both @ weights["C"]) @ weights["c"]


def value_loss(weights, features, sets, truth):
    """Return the cross-entropies of the values that the network gives: (n,)."""
    from torch.nn.functional import binary_cross_entropy_with_logits as cross_entropy

    odds = value_odds(weights, features, sets)
    return cross_entropy(odds, relaxed_f1(sets, truth), reduction="none")


def relaxed_f1(sets, truth):
    """Return F1 with minima and maxima for intersections and unions: (n, L), (n, L) -> (n,)."""
    shared = sets.minimum(truth).sum(dim=1)
    total = shared + sets.maximum(truth).sum(dim=1)
    return (2.0 * shared / total.clamp(min=1e-12)).where(total > 0, 1.0)
