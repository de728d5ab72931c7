"""A max-margin label field on a given graph."""

import numpy as np

from labelfield._parameters import choice
from labelfield.label_graph import LabelGraph, chow_liu_tree
from labelfield.models.margin.base import MarginClassifier

__all__ = ["StructuredSVM"]

GRAPHS = ("none", "tree", "full")


class StructuredSVM(MarginClassifier):
    """SSVM: a max-margin field of labels on a graph known beforehand.

    The score of a label set is linear in the features, with a weight vector for every state of
    every label and of every clique of the graph; the structured hinge loss with the Hamming loss
    as margin is minimised by dual ascent with exact inference. Scale the features first; rows of
    length one suit the default `alpha`.

    Parameters
    ----------
    estimator : classifier with `predict_proba`, optional
        A classifier, of ours or of scikit-learn, whose out-of-fold log-odds take the place of the
        features; one of single labels is cloned for every label.
    graph : {"none", "tree", "full"}, LabelGraph or list of cliques, default="full"
        "tree": the tree of largest mutual information (Chow and Liu); "full": all pairs, for 20
        labels at most. A clique is a tuple of two or three labels, by name or by number.
    alpha : float, default=1e-3
        Strength of the l2 penalty against the mean loss.
        For rows of length one; with longer ones in proportion to their squared length, on
        standardised features about 1e-3 times their number. Weaker ones take more passes.
    cv : int, default=3
        Folds for the temperature, and for the log-odds of `estimator`.
    max_iter : int, default=200
        Rounds at most: a pass over all rows and five over those that are not done.
    tol : float, default=0.01
        Duality gap, as a share of the objective, at which the fit is finished.
    random_state : int, Generator, RandomState or None
        Order in which the rows are visited.
    decoder : str or Decoder, default="subset"

    Attributes
    ----------
    cliques_ : list of tuples of int
        The cliques of the graph.
    terms_ : list of tuples of int
        Labels, pairs and triples whose products make up the score.
    coef_ : array of shape (d + 1, number of terms)
        Weights of the features and a constant for each of these products of 0/1 labels.
    temperature_ : float
        The joint is exp(score / temperature_), normalised; fitted on held-out rows.
    label_graph_ : LabelGraph
    gap_ : float
        Duality gap as a share of the objective.
    trace_ : Trace
        The dual objective, which rises.

    References
    ----------
    Tsochantaridis, Joachims, Hofmann, Altun (2005): Large margin methods for structured and
    interdependent output variables. JMLR.

    Examples
    --------
    >>> from labelfield import StructuredSVM
    >>> from labelfield.datasets import make_star_cliques
    >>> data = make_star_cliques(200, 4, n_edges=2, random_state=0)
    >>> edges = [("y0", "y1"), ("y0", "y2")]
    >>> model = StructuredSVM(graph=edges, alpha=0.03, random_state=0)
    >>> model.fit(data.X, data.Y).predict(data.X[:2]).shape
    (2, 4)
    """

    _parameter_constraints = MarginClassifier._parameter_constraints | {
        "graph": [choice(*GRAPHS), LabelGraph, "array-like"]
    }

    def __init__(
        self,
        estimator=None,
        *,
        graph="full",
        alpha=1e-3,
        cv=3,
        max_iter=200,
        tol=0.01,
        random_state=None,
        decoder="subset",
    ):
        self.estimator = estimator
        self.graph = graph
        self.alpha = alpha
        self.cv = cv
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.decoder = decoder

    def _solve(self, problem, Y):
        self.cliques_ = self._read_graph(Y)
        problem.use([self.cliques_] if self.cliques_ else [], 0.0)
        return problem.solve(self.tol, self.max_iter)

    def _read_graph(self, Y):
        """Return the cliques of the graph as tuples of label numbers."""
        n_labels = Y.shape[1]
        if isinstance(self.graph, LabelGraph):
            names = self.graph.names
            cliques = [(names[a], names[b]) for a, b in self.graph.pairs]
        elif not isinstance(self.graph, str):
            cliques = self.graph
        elif self.graph == "tree":
            cliques = chow_liu_tree(Y)
        elif self.graph == "full":
            cliques = np.column_stack(np.triu_indices(n_labels, 1))
        else:
            cliques = []
        return sorted({self._read_clique(clique, n_labels) for clique in cliques})

    def _read_clique(self, clique, n_labels):
        numbers = {name: number for number, name in enumerate(self.label_names_)}
        numbers.update({number: number for number in range(n_labels)})
        labels = list(clique)
        for label in labels:
            if label not in numbers:
                raise ValueError(
                    f"graph names the label {label!r}, which is not there. Labels are "
                    f"{', '.join(self.label_names_)}, or 0 to {n_labels - 1}."
                )
        found = sorted({numbers[label] for label in labels})
        if len(found) not in (2, 3) or len(found) < len(labels):
            raise ValueError(
                f"graph must list cliques of two or three different labels; got {tuple(labels)!r}."
            )
        return tuple(found)
