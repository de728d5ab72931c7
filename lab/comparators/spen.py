"""SPEN: a network for the energy of a label set, minimised over relaxed sets."""

import numpy as np

from lab.comparators.networks import (
    as_tensor,
    climb_log_odds,
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

__all__ = ["EnergyNetwork", "energy", "least_energy", "local_scores"]


class EnergyNetwork(JointClassifier):
    """SPEN: E(x, y) = -y' (B f(x) + b) + c' softplus(C y), f a perceptron, y in the unit cube.

    The perceptron is first trained alone, by cross-entropy. Then everything is trained by the
    structured hinge loss max_y [ |y - y_i|^2 - E(x_i, y) ] + E(x_i, y_i), the maximum found as
    predictions are: by mirror descent (gradient steps on log-odds) from y = 1/2.

    Needs torch.

    Parameters
    ----------
    n_hidden, n_global : int, default=150 and 16
        Units of f, and rows of C.
    n_epochs : int, default=20
        Of each of the two trainings.
    learning_rate, decay : float, default=1e-3 and 1e-4
        Of Adam, and strength of its l2 penalty.
    batch_size : int, default=64
    n_steps, step : int and float, default=30 and 0.3
        Steps of mirror descent and their length.
    decoder : str or Decoder, default="hamming"
        "hamming" rounds the relaxed labels.
    random_state : int, Generator or None

    Attributes
    ----------
    weights_ : dict of arrays
    trace_ : list of float
        Mean hinge loss of each epoch.

    References
    ----------
    Belanger, McCallum (2016): Structured prediction energy networks. ICML.
    """

    _parameter_constraints = declare(
        "decoder",
        "random_state",
        n_hidden=[whole(1)],
        n_global=[whole(0)],
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
        n_global=16,
        n_epochs=20,
        learning_rate=1e-3,
        decay=1e-4,
        batch_size=64,
        n_steps=30,
        step=0.3,
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
        from torch.nn.functional import binary_cross_entropy_with_logits as cross_entropy

        rng, x, y = as_generator(self.random_state), as_tensor(X), as_tensor(Y)
        shapes = perceptron(X.shape[1], self.n_hidden, Y.shape[1])
        local = draw_weights(shapes, rng)
        overall = draw_weights({"C": (Y.shape[1], self.n_global), "c": (self.n_global,)}, rng)
        weights = local | overall
        settings = {
            "n_epochs": self.n_epochs,
            "batch_size": self.batch_size,
            "learning_rate": self.learning_rate,
            "decay": self.decay,
            "rng": rng,
        }

        def alone(rows):
            return cross_entropy(local_scores(weights, x[rows]), y[rows])

        def hinge(rows):
            scores, truth = local_scores(weights, x[rows]), y[rows]
            worst = least_energy(weights, scores, self.n_steps, self.step, away_from=truth)
            gap = energy(weights, scores, truth) - energy(weights, scores, worst)
            return (gap + (worst - truth).square().sum(dim=1)).relu().mean()

        train(alone, local, len(Y), **settings)
        self.trace_ = train(hinge, weights, len(Y), **settings)
        self.weights_ = {name: value.detach().numpy() for name, value in weights.items()}

    def _joint(self, X):
        weights = from_arrays(self.weights_)
        found = least_energy(weights, local_scores(weights, as_tensor(X)), self.n_steps, self.step)
        return IndependentJoint.from_probabilities(np.asarray(found, dtype=np.float64))


def local_scores(weights, x):
    """Return the scores of labels on their own: (n, d) -> (n, L)."""
    return hidden_features(weights, x) @ weights["B"] + weights["b"]


def energy(weights, scores, y):
    """Return the energies of relaxed sets y (n, L), given the labels' scores (n, L): (n,)."""
    from torch.nn.functional import softplus

    return softplus(y @ weights["C"]) @ weights["c"] - (y * scores).sum(dim=1)


def least_energy(weights, scores, n_steps, step, away_from=None):
    """Return relaxed sets (n, L) of low energy, less the squared distance from given sets."""
    weights = {name: value.detach() for name, value in weights.items()}
    scores = scores.detach()

    def goodness(y):
        gain = -energy(weights, scores, y)
        return gain if away_from is None else gain + (y - away_from).square().sum(dim=1)

    return climb_log_odds(goodness, scores.new_zeros(scores.shape), n_steps, step)
