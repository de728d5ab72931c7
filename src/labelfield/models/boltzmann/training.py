"""Epochs of contrastive divergence, and what is filled in between them."""

from labelfield._progress import report_steps
from labelfield.models.boltzmann.contrastive import Climber, ContrastiveDivergence, Weights
from labelfield.models.boltzmann.recovery import climb

__all__ = ["train"]


def train(model, X, known, rng):
    """Fit the weights of a `ConditionalRBM` to scaled features X (n, d) and known labels.

    Returns
    -------
    weights : Weights
    labels : (n, L) uint8 array
        The labels as they were filled in last.
    losses : list of float
        Cross-entropy of the reconstructed labels per epoch.
    """
    weights = Weights.start(
        X.shape[1], known.rates(model.missing_rate), model.n_hidden, model.coupling_scale, rng
    )
    learner = _learner(model, X, known, weights, rng)
    losses = []
    for epoch in report_steps(model, range(model.max_iter), total=model.max_iter, name="epoch"):
        filling = known.any_free and epoch >= model.recover_after
        losses.append(learner.epoch(impute=filling and model.recovery == "sample"))
        due = (epoch - model.recover_after) % model.recover_every == 0
        if filling and due and model.recovery == "viterbi":
            learner.Y = _best_guess(model, X, known, weights, learner.Y)
    return weights, learner.Y, losses


def _learner(model, X, known, weights, rng):
    decays = model.alpha / len(known.Y), model.coupling_alpha / len(known.Y), 0.0, 0.0
    return ContrastiveDivergence(
        X,
        known.Y,
        weights,
        free=known.free,
        offset=known.offset(model.missing_rate),
        n_steps=model.n_steps,
        persistent=model.persistent,
        centered=model.centered,
        sampled=model.sampled,
        batch_size=model.batch_size,
        climb=Climber(weights, model.optimizer, model.learning_rate, decays, model.momentum),
        rng=rng,
    )


def _best_guess(model, X, known, weights, current):
    return climb(
        weights.unary(X) - model.sparsity + known.offset(model.missing_rate),
        weights.bias,
        weights.coupling,
        weights.hidden_bias,
        model._pair,
        known,
        init=model.init,
        flips=model.flips,
        current=current,
    )
