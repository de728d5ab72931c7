"""A max-margin label field that finds its own graph."""

from itertools import combinations
from numbers import Integral

import numpy as np
from sklearn.utils._param_validation import Options

from labelfield._parameters import number, positive, share, whole
from labelfield.joints.factor_graph import FactorGraph
from labelfield.models.margin.base import MarginClassifier

__all__ = ["CliqueGeneratingMachine"]

SELECTION_SLACK = 2.0  # how much larger the gap may be while cliques are chosen


class CliqueGeneratingMachine(MarginClassifier):
    """CGM: a max-margin field of labels that generates the cliques of its graph.

    The score of a label set is linear in the features, with a weight vector for every state of
    every label and of every chosen pair (or triple) of labels. The machine minimises the structured
    hinge loss with the Hamming loss as margin, starts without cliques, adds the ones that its dual
    variables ask for most, refits from where it stood, and stops when no clique helps enough.
    Weak cliques are dropped at the end and the others fitted once more. Inference is exact
    throughout. Scale the features first; rows of length one suit the default `alpha`.

    Parameters
    ----------
    estimator : classifier with `predict_proba`, optional
        A classifier, of ours or of scikit-learn, whose out-of-fold log-odds take the place of the
        features; one of single labels is cloned for every label.
    alpha : float, default=1e-3
        Strength of the penalty against the mean loss.
        For rows of length one; with longer ones in proportion to their squared length, on
        standardised features about 1e-3 times their number. Weaker ones take more passes.
    cliques_per_round : int, default=3
        Cliques added at a time; they form one group of the penalty.
    max_order : {2, 3}, default=2
        Labels of a clique at most.
    max_cliques : int, optional
        Cliques in all at most.
    max_width : int, default=12
        A clique is passed over if inference would then need tables over more labels.
    min_gain : float, default=0.002
        Stop when a round lowers the objective by a smaller share.
    prune : float or None, default=0.2
        Cliques with weights shorter than this share of the longest are dropped at the end, the
        others merged into one group and fitted again. None: keep all as they are.
    smoothing : float, default=0.1
        Weight of the squared lengths of the groups against the squared sum of their lengths.
    cv : int, default=3
        Folds for the temperature, and for the log-odds of `estimator`.
    max_iter : int, default=200
        Rounds of a fit at most: a pass over all rows and five over those that are not done.
    tol : float, default=0.01
        Duality gap, as a share of the objective, at which the last fit is finished; rounds that
        choose cliques stop at twice that.
    random_state : int, Generator, RandomState or None
        Order in which the rows are visited.
    decoder : str or Decoder, default="subset"

    Attributes
    ----------
    cliques_ : list of tuples of int
        The cliques of the graph.
    generated_ : list of tuples of int
        All cliques that were added, in order.
    objective_ : list of float
        Dual objective after each round, the one without cliques first.
    terms_ : list of tuples of int
        Labels, pairs and triples whose products make up the score.
    coef_ : array of shape (d + 1, number of terms)
        Weights of the features and a constant for each of these products of 0/1 labels.
    temperature_ : float
        The joint is exp(score / temperature_), normalised; fitted on held-out rows.
    label_graph_ : LabelGraph
    gap_ : float
        Duality gap of the last fit, as a share of the objective.
    trace_ : Trace
        The dual objective of the last fit, which rises.

    References
    ----------
    Tan, Shi, van den Hengel, Shen, Gao, Hu, Zhang (2015): Learning graph structure for multi-label
    image classification via clique generation. CVPR.

    Examples
    --------
    >>> from labelfield import CliqueGeneratingMachine
    >>> from labelfield.datasets import make_star_cliques
    >>> data = make_star_cliques(300, 4, n_edges=1, random_state=0)
    >>> machine = CliqueGeneratingMachine(max_cliques=1, cliques_per_round=1, random_state=0)
    >>> machine.fit(data.X, data.Y).cliques_
    [(0, 1)]
    >>> machine.predict(data.X[:2]).shape
    (2, 4)
    """

    _parameter_constraints = MarginClassifier._parameter_constraints | {
        "cliques_per_round": [whole(1)],
        "max_order": [Options(Integral, {2, 3})],
        "max_cliques": [whole(0), None],
        "max_width": [whole(1)],
        "min_gain": [number()],
        "prune": [share, None],
        "smoothing": [positive],
    }

    def __init__(
        self,
        estimator=None,
        *,
        alpha=1e-3,
        cliques_per_round=3,
        max_order=2,
        max_cliques=None,
        max_width=12,
        min_gain=0.002,
        prune=0.2,
        smoothing=0.1,
        cv=3,
        max_iter=200,
        tol=0.01,
        random_state=None,
        decoder="subset",
    ):
        self.estimator = estimator
        self.alpha = alpha
        self.cliques_per_round = cliques_per_round
        self.max_order = max_order
        self.max_cliques = max_cliques
        self.max_width = max_width
        self.min_gain = min_gain
        self.prune = prune
        self.smoothing = smoothing
        self.cv = cv
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.decoder = decoder

    def _solve(self, problem, Y):
        self._generate(problem)
        self.cliques_ = list(self.generated_)
        if self.prune is not None and self.generated_:
            lengths = problem.clique_lengths(self.generated_)
            kept = lengths >= self.prune * lengths.max()
            self.cliques_ = [self.generated_[c] for c in np.flatnonzero(kept)]
            problem.use([self.cliques_], self.smoothing)
        return problem.solve(self.tol, self.max_iter)

    def _generate(self, problem):
        """Add cliques round by round; sets `generated_` and `objective_`."""
        tol = SELECTION_SLACK * self.tol
        left = [
            clique
            for size in range(2, self.max_order + 1)
            for clique in combinations(range(problem.n_labels), size)
        ]
        groups, self.generated_ = [], []
        self.objective_ = [problem.solve(tol, self.max_iter).objective[-1]]
        while left:
            scores = problem.clique_scores(left)
            if scores.max() <= problem.threshold() * (1.0 + tol):
                break
            new = self._admissible(
                problem.n_labels, [left[c] for c in np.argsort(-scores, kind="stable")]
            )
            if not new:
                break
            groups.append(new)
            self.generated_ += new
            left = [clique for clique in left if clique not in new]
            problem.use(groups, self.smoothing)
            self.objective_.append(problem.solve(tol, self.max_iter).objective[-1])
            if self.objective_[-1] > (1.0 - self.min_gain) * self.objective_[-2]:
                break

    def _admissible(self, n_labels, ranked):
        """Return the first cliques of a ranking that keep inference affordable."""
        new = []
        n_wanted = self.cliques_per_round
        if self.max_cliques is not None:
            n_wanted = min(n_wanted, self.max_cliques - len(self.generated_))
        for clique in ranked:
            if len(new) >= n_wanted:
                break
            width = FactorGraph(n_labels, [*self.generated_, *new, clique]).treewidth
            if width is not None and width <= self.max_width:
                new.append(clique)
        return new
