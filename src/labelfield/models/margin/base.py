"""What max-margin label fields share: features, the joint of their scores, its temperature."""

import warnings
from abc import abstractmethod

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize_scalar
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold

from labelfield._gate.validation import as_generator
from labelfield._parameters import declare, positive
from labelfield.base import JointClassifier
from labelfield.joints import IsingJoint
from labelfield.joints.factor_graph import FactorGraph
from labelfield.joints.factor_graph.products import bits_of_signs
from labelfield.label_graph import LabelGraph
from labelfield.learners import LogOddsSource, check_source
from labelfield.models.margin.problem import MarginProblem

__all__ = ["MarginClassifier"]

LOG_TEMPERATURES = (np.log(1e-2), np.log(1e2))


class MarginClassifier(JointClassifier):
    """Base of max-margin fields: a subclass writes `_solve`.

    The joint is p(y | x) ~ exp(F(y, x) / temperature_): its mode is the decision of the margin,
    whatever the temperature, which is fitted to held-out rows so that the probabilities mean
    something.
    """

    _wants_centred = True
    _parameter_constraints = declare(
        "estimator",
        "cv",
        "max_iter",
        "decoder",
        "random_state",
        alpha=[positive],
        tol=[positive],
    )

    def _fit(self, X, Y):
        if self.estimator is not None:
            check_source(self.estimator)
        psi = self._features(X, Y)
        problem = MarginProblem(psi, Y, self.alpha, as_generator(self.random_state))
        trace = self._solve(problem, Y)
        self._store(problem, trace)
        self.temperature_ = self._fit_temperature(problem, Y)

    @abstractmethod
    def _solve(self, problem, Y):
        """Choose cliques and solve the problem; return the Trace of the last solution."""

    def _features(self, X, Y=None):
        """Return psi (n, D), the features or the log-odds of `estimator`, and a constant."""
        if self.estimator is not None and Y is not None:
            self.source_ = LogOddsSource(self.estimator, self.cv)
            X = self.source_.fit_transform(X, Y)
        elif self.estimator is not None:
            X = self.source_.transform(X)
        constant = np.ones((X.shape[0], 1))
        if sp.issparse(X):
            return sp.hstack([X, constant], format="csr", dtype=np.float64)
        return np.hstack([X, constant], dtype=np.float64)

    def _store(self, problem, trace):
        """Keep the weights of a solved problem."""
        self.trace_, self.n_iter_ = trace, max(1, trace.n_iter)
        self.gap_ = problem.gap
        self.terms_ = problem.chosen
        self.coef_ = problem.weights() @ bits_of_signs(self.terms_)
        self._graph = FactorGraph(problem.n_labels, self.terms_[problem.n_labels :])
        self._mean_psi = np.asarray(problem.psi.mean(axis=0)).ravel()
        if trace.reason == "max_iter":
            warnings.warn(
                f"The duality gap is {self.gap_:.2g} of the objective after max_iter="
                f"{self.max_iter} rounds, above tol={self.tol}; raise either, scale the features, "
                f"or raise alpha={self.alpha}.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _fit_temperature(self, problem, Y):
        """Return the temperature of largest likelihood on rows left out of refits."""
        n_rows = len(Y)
        if n_rows < 2:
            return 1.0
        scores = np.empty((n_rows, len(self.terms_)))
        folds = KFold(min(self.cv, n_rows), shuffle=True, random_state=0)
        for train, test in folds.split(Y):
            part = problem.part(train)
            part.solve(self.tol, self.max_iter)
            scores[test] = np.asarray(problem.psi[test] @ part.weights())
        scores = scores @ bits_of_signs(self.terms_)

        def surprise(log_temperature):
            joint = self._field(scores / np.exp(log_temperature))
            return float(np.mean(joint.log_partition() - joint.log_score(Y)))

        found = minimize_scalar(surprise, bounds=LOG_TEMPERATURES, options={"xatol": 1e-6})
        return float(np.exp(found.x))

    def _field(self, scores):
        """Return the joint of the scores (n, A) of all products of labels."""
        n_labels = self._graph.n_labels
        return IsingJoint(scores[:, :n_labels], self._graph, scores[:, n_labels:])

    def _joint(self, X):
        return self._field(np.asarray(self._features(X) @ self.coef_) / self.temperature_)

    def _bytes_per_row(self):
        return 32.0 * len(self.terms_)

    @property
    def label_graph_(self):
        """The LabelGraph of mean couplings: what two labels present together add to the score."""
        n_labels = self._graph.n_labels
        pairs = [term for term in self.terms_ if len(term) == 2]
        weights = self._mean_psi @ self.coef_[:, n_labels : n_labels + len(pairs)]
        return LabelGraph(
            tuple(self.label_names_),
            np.array(pairs, dtype=np.intp).reshape(-1, 2),
            weights,
            explanation="What two labels together add to the score of a set, on average over the "
            "training rows.",
        )
