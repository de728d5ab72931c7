"""Two-level relevance, logistic below and boosted trees above, as C. Li (2019) ran it."""

from lightgbm import LGBMClassifier

from labelfield.models.relevance.stacked import DependentRelevance, StackedRelevance

__all__ = ["BoostedDependent", "BoostedStacked"]

# Shrinkage, leaves and rows in a leaf of appendix D; the number of trees was tuned there. Without
# a ridge (XGBoost's default here) the steps of labels with a handful of rows run away.
TREES = {
    "n_estimators": 100,
    "learning_rate": 0.1,
    "num_leaves": 10,
    "min_child_samples": 5,
    "reg_lambda": 1.0,
}


class BoostedAbove:
    """Boosted trees in levels that see labels, logistic regressions below."""

    def __init__(self, *, alpha="auto", decoder="hamming"):
        super().__init__(alpha=alpha, decoder=decoder)

    def _fit_level(self, X, Y, sample_weight=None, **options):
        if "parents" in options:
            trees = LGBMClassifier(**TREES, n_jobs=1, verbose=-1, random_state=0)
            options = {"estimator": trees, **options}
        return super()._fit_level(X, Y, sample_weight, **options)


class BoostedStacked(BoostedAbove, StackedRelevance):
    """2BR whose second level is boosted: on the features and the first level's probabilities.

    Parameters
    ----------
    alpha : float or "auto", default="auto"
        Strength of the first level, "auto" chosen by the likelihood of held-out rows.
    decoder : str or Decoder, default="hamming"

    Examples
    --------
    >>> from lab.variants.boosted_stages import BoostedStacked
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=60, n_labels=2, random_state=0)
    >>> BoostedStacked().fit(data.X, data.Y).predict(data.X[:3]).shape
    (3, 2)
    """


class BoostedDependent(BoostedAbove, DependentRelevance):
    """DBR whose second level is boosted: on the features and the other labels.

    Parameters
    ----------
    alpha : float or "auto", default="auto"
        Strength of the first level, "auto" chosen by the likelihood of held-out rows.
    decoder : str or Decoder, default="hamming"

    Examples
    --------
    >>> from lab.variants.boosted_stages import BoostedDependent
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=60, n_labels=2, random_state=0)
    >>> BoostedDependent().fit(data.X, data.Y).predict(data.X[:3]).shape
    (3, 2)
    """
