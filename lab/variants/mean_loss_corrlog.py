"""CorrLog with strengths against the mean loss, as its thesis states them."""

from labelfield.models.field.correlated_logistic import CorrelatedLogistic

__all__ = ["MeanLossCorrLog"]

NO_EDGES = 1e9  # a strength at which the l1 part removes every coupling


class MeanLossCorrLog(CorrelatedLogistic):
    """CorrLog whose penalty weighs the same whatever the number of training rows.

    Minimises mean loss + strength [|B|^2 + |B|_1 + |A|^2 + |A|_1], equation (3.13) with eps = 1:
    `alpha` of `CorrelatedLogistic` stands against the summed loss and is n times the strength.

    Parameters
    ----------
    strength : float, default=1e-3
        Both lambdas of the thesis.
    objective : {"exact", "pseudo"}, default="exact"
    coupled : bool, default=True
        Whether labels are coupled; otherwise these are independent logistic regressions.

    Examples
    --------
    >>> from lab.variants.mean_loss_corrlog import MeanLossCorrLog
    >>> from labelfield.datasets import make_correlated_discs
    >>> data = make_correlated_discs(100, 2, random_state=0)
    >>> MeanLossCorrLog(strength=0.01).fit(data.X, data.Y).alpha_
    1.0
    """

    def __init__(self, *, strength=1e-3, objective="exact", coupled=True):
        super().__init__(l1_ratio=0.5, edge_l1_ratio=0.5, penalize_intercept=True)
        self.strength = strength
        self.objective = objective
        self.coupled = coupled

    def _fit(self, X, Y, sample_weight=None, problem=None):
        self.alpha = self.strength * len(Y)
        self.edge_alpha = self.alpha if self.coupled else NO_EDGES
        super()._fit(X, Y, sample_weight, problem)
