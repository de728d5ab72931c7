"""What the networks among the comparators share. torch is no dependency: it must be installed."""

import numpy as np
import scipy.sparse as sp

from labelfield._optional import require

__all__ = [
    "as_tensor",
    "climb_in_cube",
    "climb_log_odds",
    "draw_weights",
    "from_arrays",
    "hidden_features",
    "perceptron",
    "train",
]


def as_tensor(X):
    """Return rows (n, d) as a dense tensor of single precision."""
    torch = require("torch", "gpu")
    return torch.as_tensor(X.toarray() if sp.issparse(X) else np.asarray(X), dtype=torch.float32)


def draw_weights(shapes, rng):
    """Return tensors by name: normal numbers of variance 2 / rows, zeros for vectors."""
    import torch

    drawn = {}
    for name, shape in shapes.items():
        scale = np.sqrt(2.0 / max(shape[0], 1)) if len(shape) > 1 else 0.0
        numbers = torch.tensor(scale * rng.standard_normal(shape), dtype=torch.float32)
        drawn[name] = numbers.requires_grad_()
    return drawn


def from_arrays(weights):
    """Return stored arrays by name as tensors that are learned no more."""
    import torch

    return {name: torch.as_tensor(value) for name, value in weights.items()}


def perceptron(d, n_hidden, n_labels):
    """Return the shapes of a perceptron of two layers from d features to a score per label."""
    return {"A": (d, n_hidden), "a": (n_hidden,), "B": (n_hidden, n_labels), "b": (n_labels,)}


def hidden_features(weights, x):
    """Return what the first layer makes of rows x (n, d): (n, h)."""
    return (x @ weights["A"] + weights["a"]).relu()


def slope_of(score, y):
    """Return the gradient (n, L) of the sum of score(y) over rows."""
    import torch

    y = y.detach().requires_grad_()
    with torch.enable_grad():
        return torch.autograd.grad(score(y).sum(), y)[0]


def climb_in_cube(score, start, n_steps, step):
    """Return y (n, L) after gradient steps that raise score(y), each projected on the unit cube."""
    y = start.detach()
    for _ in range(n_steps):
        y = (y + step * slope_of(score, y)).clamp(0.0, 1.0)
    return y


def climb_log_odds(score, start, n_steps, step):
    """Return y (n, L) after steps of mirror ascent: along the gradient in y, taken by its log-odds.

    start (n, L) are log-odds.
    """
    log_odds = start.detach()
    for _ in range(n_steps):
        log_odds = log_odds + step * slope_of(score, log_odds.sigmoid())
    return log_odds.sigmoid()


class Adam:
    """Gradient steps scaled by the gradients' own size; `torch.optim` takes seconds to load."""

    def __init__(self, weights, learning_rate, decay):
        self.weights = list(weights)
        self.learning_rate, self.decay, self.n_steps = learning_rate, decay, 0
        self.means = [weight.detach() * 0.0 for weight in self.weights]
        self.squares = [weight.detach() * 0.0 for weight in self.weights]

    def step(self, slopes):
        """Take one step against gradients, None for a weight that the loss does not see."""
        self.n_steps += 1
        size = self.learning_rate * (1 - 0.999**self.n_steps) ** 0.5 / (1 - 0.9**self.n_steps)
        for weight, mean, square, slope in zip(self.weights, self.means, self.squares, slopes):
            if slope is not None:
                slope = slope + self.decay * weight.detach()
                mean.mul_(0.9).add_(slope, alpha=0.1)
                square.mul_(0.999).addcmul_(slope, slope, value=0.001)
                weight.data.addcdiv_(mean, square.sqrt() + 1e-8, value=-size)


def train(loss_of, weights, n, *, n_epochs, batch_size, learning_rate, decay, rng):
    """Lower the mean of loss_of(rows) over batches by Adam; return its mean in each epoch."""
    import torch

    adam, history = Adam(weights.values(), learning_rate, decay), []
    for _ in range(n_epochs):
        order, total = rng.permutation(n), 0.0
        for first in range(0, n, batch_size):
            rows = torch.as_tensor(order[first : first + batch_size])
            loss = loss_of(rows)
            adam.step(torch.autograd.grad(loss, adam.weights, allow_unused=True))
            total += float(loss.detach()) * len(rows) / n
        history.append(total)
    return history
