"""Epochs of contrastive divergence, and what is filled in between them."""

from labelfield._progress import report_steps
from labelfield.models.boltzmann.contrastive import ChainLearner, Climber, Weights
from labelfield.models.boltzmann.recovery import climb
from labelfield.models.boltzmann.settings import ContrastiveDivergence, LabelRecovery

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
    settings = ContrastiveDivergence() if model.training is None else model.training
    recovery = LabelRecovery.read(model.recovery)
    offset = known.offset(model.missing_rate)
    rates = known.rates(model.missing_rate)
    weights = Weights.start(X.shape[1], rates, model.n_hidden, settings.coupling_scale, rng)
    learner = ChainLearner(
        X,
        known.Y,
        weights,
        free=known.free,
        offset=offset,
        settings=settings,
        climb=Climber(weights, settings.learning_rate, model.alpha / len(known.Y)),
        rng=rng,
    )
    losses = []
    for epoch in report_steps(model, range(model.max_iter), total=model.max_iter, name="epoch"):
        filling = known.any_free and epoch >= recovery.after
        losses.append(learner.epoch(impute=filling and recovery.how == "sample"))
        due = (epoch - recovery.after) % recovery.every == 0
        if filling and due and recovery.how == "viterbi":
            learner.Y = climb(
                weights.unary(X) - model.sparsity + offset,
                weights.bias,
                weights.coupling,
                weights.hidden_bias,
                model._pair,
                known,
                start=recovery.start,
                flips=recovery.flips,
                current=learner.Y,
            )
    return weights, learner.Y, losses
