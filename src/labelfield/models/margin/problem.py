"""The convex problem behind max-margin label fields, and its dual variables."""

from copy import copy
from itertools import combinations

import numpy as np
import scipy.sparse as sp

from labelfield.joints.factor_graph.products import parts_of
from labelfield.models.margin import dual_ascent
from labelfield.models.margin.sign_field import best_signs, sign_field
from labelfield.optim import Trace

__all__ = ["MarginProblem", "terms_of"]

FIRST_SLOTS = 8
BUSY = 0.1  # of the mean gap
BUSY_PASSES = 5
NEAR = 50.0  # times the tolerance: gaps met on the way at which the true one may be within it
LOOKS = 4  # rounds from one look at the true gap to the next
STRETCHES = (0.0, 0.125, 0.25, 0.5)  # of the tolerance, by which the weights are lengthened


def terms_of(n_labels, cliques):
    """Return the products of labels that fields on the cliques consist of, single labels first."""
    return [(label,) for label in range(n_labels)] + parts_of(cliques)


class MarginProblem:
    """min alpha Omega(w) + mean_i max_y [Hamming(y, y_i) + F(y, x_i) - F(y_i, x_i)].

    F is linear in the features psi, with a weight vector per state of every label and clique.
    The weights of a state matter only through products of signs (see `dual_ascent`): a
    clique of q labels counts each of its terms with 2^-q. `use` chooses the cliques; the dual
    variables stay feasible when the choice changes, so the next `solve` starts where they stand.

    Parameters
    ----------
    psi : array or CSR matrix of shape (n, D)
    Y : uint8 array of shape (n, L)
    alpha : float
    rng : Generator
        Shuffles the rows before every pass.
    """

    def __init__(self, psi, Y, alpha, rng):
        self.psi = psi
        self.n_rows, self.n_labels = Y.shape
        self.rows = _as_rows(psi, 2.0 * Y - 1.0)
        self.alpha = alpha
        self.rng = rng
        self.duals = _at_the_truth(self.rows.signs)
        self.gaps = np.zeros(self.n_rows)
        self.use([], 0.0)

    @property
    def unit(self):
        """What a row's moments are multiplied with in the image: 1 / (alpha n)."""
        return 1.0 / (self.alpha * self.n_rows)

    def use(self, groups, rho):
        """Choose the cliques: a list of groups, each a list of cliques, and the weight rho."""
        chosen = terms_of(self.n_labels, [clique for group in groups for clique in group])
        position = {term: number for number, term in enumerate(chosen)}
        free = np.zeros(len(chosen))
        free[: self.n_labels] = 0.5
        shares = np.zeros((len(groups), len(chosen)))
        for share, group in zip(shares, groups):
            for clique in group:
                for term in _parts(clique):
                    share[position[term]] += 0.5 ** len(clique)
        self.chosen = chosen
        self._labels = _as_array(chosen)
        self._penalty = dual_ascent.Penalty(free, shares, float(rho))
        self._field = sign_field(self.n_labels, chosen)
        self.refresh()

    def refresh(self):
        """Compute the image anew from the dual variables, rid of rounding."""
        self.stretch = 1.0
        self.image = self._image_of(self._labels)
        self.squares = self._penalty.shares @ np.einsum("da,da->a", self.image, self.image)

    def sweep(self, rows=None):
        """Visit all rows, or some of them, in random order."""
        if (self.duals.weights > 0.0).all(axis=1).any():
            self.duals = _with_more_slots(self.duals)
        dual_ascent.ascend(
            self.rng.permutation(self.n_rows if rows is None else rows),
            self.rows,
            self.duals,
            self._labels,
            self._field,
            self._penalty,
            self.unit,
            self.image,
            self.squares,
            self.gaps,
        )

    def solve(self, tol, max_iter):
        """Sweep until the duality gap is `tol` of the objective; return the Trace of the dual.

        Most rows soon have no gap left, so that a pass over all rows is followed by several over
        those that had one. The gaps met on the way cost nothing and tell when the true one is worth
        computing. Sets `gap`, relative to the objective.
        """
        objective = [self.dual()]
        for k in range(max_iter):
            self.sweep()
            estimate = self.gaps.mean()
            busy = np.flatnonzero(self.gaps > BUSY * estimate)
            if len(busy):
                self.sweep(np.tile(busy, BUSY_PASSES))
            objective.append(self.dual())
            far = estimate / (tol * objective[-1])
            if far <= 1.0 or (far <= NEAR and k % LOOKS == LOOKS - 1):
                self.measure_gap(tol)
                if self.gap <= tol:
                    return Trace(objective, "converged")
        self.measure_gap(tol)
        return Trace(objective, "converged" if self.gap <= tol else "max_iter")

    def measure_gap(self, tol=0.0):
        """Compute `gap`, the duality gap as a share of the objective.

        The weights are lengthened by up to half of `tol` where that lowers the objective: a dual
        that is all but solved leaves many rows short of their margins by little.
        """
        self.refresh()
        scores = np.asarray(self.psi @ self.weights())
        primals = {1.0 + tol * part: 0.0 for part in STRETCHES}
        for stretch in primals:
            primals[stretch] = self._penalized(stretch, self._slacks(stretch * scores))
        self.stretch = min(primals, key=primals.__getitem__)
        self.gap = 1.0 - self.dual() / primals[self.stretch]

    def part(self, chosen):
        """Return the problem of some of the rows, at the same dual variables and cliques."""
        part = copy(self)
        part.psi, part.n_rows = self.psi[chosen], len(chosen)
        part.rows = _as_rows(part.psi, self.rows.signs[chosen])
        part.duals = dual_ascent.Duals(*(array[chosen] for array in self.duals))
        part.gaps = np.zeros(part.n_rows)
        part.refresh()
        return part

    def dual(self):
        """Return the dual objective, a lower bound of the optimum."""
        free, lengths, sizes = self._lengths()
        return float(
            dual_ascent.mean_losses(self.duals).mean() - 0.5 * self.alpha * (free + lengths @ sizes)
        )

    def primal(self):
        """Return the objective at the present weights."""
        return self._penalized(self.stretch, self.slacks())

    def slacks(self):
        """Return the hinge losses (n,) at the present weights."""
        return self._slacks(np.asarray(self.psi @ self.weights()))

    def _penalized(self, stretch, slacks):
        """Return the objective of the weights, lengthened, whose hinge losses (n,) are given."""
        free, _, sizes = self._lengths()
        total = free + self._penalty.rho * (sizes @ sizes) + sizes.sum() ** 2
        return float(0.5 * self.alpha * stretch**2 * total + slacks.mean())

    def _slacks(self, scores):
        """Return the hinge losses (n,) of terms that score (n, A)."""
        own = self._score(scores, self.rows.signs)
        scores[:, : self.n_labels] -= 0.5 * self.rows.signs
        best = self._score(scores, best_signs(self._field, scores))
        return best + 0.5 * self.n_labels - own

    def _score(self, weights, signs):
        """Return the scores (n,) of label sets given as signs (n, L), one set a row."""
        return np.einsum("na,na->n", weights, dual_ascent.products(self._labels, signs))

    def weights(self):
        """Return the weights (D, A) of the chosen terms."""
        return self.image * (self.stretch * self._scales())

    def clique_lengths(self, cliques):
        """Return |w_c| of chosen cliques, in the norm of the penalty."""
        squares = np.einsum("da,da->a", self.image, self.image)
        ratios = self._ratios()[0]
        position = {term: number for number, term in enumerate(self.chosen)}
        lengths = []
        for clique in cliques:
            parts = [position[term] for term in _parts(clique)]
            of_group = ratios[self._penalty.shares[:, parts[-1]] > 0].max()
            lengths.append(of_group * np.sqrt(0.5 ** len(clique) * squares[parts].sum()))
        return np.array(lengths)

    def clique_scores(self, cliques):
        """Return |z_c|, how much the dual variables ask for each of the cliques."""
        terms = terms_of(self.n_labels, cliques)
        squares = dict(zip(terms, np.square(self._image_of(_as_array(terms))).sum(axis=0)))
        return np.array(
            [
                np.sqrt(0.5 ** len(clique) * sum(squares[part] for part in _parts(clique)))
                for clique in cliques
            ]
        )

    def threshold(self):
        """Return s = sum_g |w_g|: at the optimum no unused clique has a larger score."""
        return self._ratios()[1]

    def _image_of(self, labels):
        """Return the image (D, A) of terms, given by their labels (A, 3)."""
        excess = dual_ascent.mean_excess(labels, self.duals)
        return np.ascontiguousarray(self.psi.T @ excess) * self.unit

    def _ratios(self):
        ratios = np.empty(len(self.squares))
        threshold = dual_ascent.group_ratios(self.squares, self._penalty.rho, ratios)
        return ratios, threshold

    def _scales(self):
        return self._penalty.free + self._ratios()[0] @ self._penalty.shares

    def _lengths(self):
        """Return |z_u|^2, |z_g| (G,) and |w_g| (G,)."""
        free = self._penalty.free @ np.einsum("da,da->a", self.image, self.image)
        lengths = np.sqrt(np.maximum(self.squares, 0.0))
        return free, lengths, lengths * self._ratios()[0]


def _parts(clique):
    """Return the non-empty subsets of a clique, itself last."""
    labels = sorted(clique)
    return [p for size in range(1, len(labels) + 1) for p in combinations(labels, size)]


def _as_array(terms):
    """Return terms as an array (A, 3), -1 where there are fewer labels."""
    return np.array([(*term, -1, -1)[:3] for term in terms], dtype=np.intp)


def _at_the_truth(signs):
    sets = np.ones((*signs.shape[:1], FIRST_SLOTS, signs.shape[1]), dtype=np.int8)
    sets[:, 0] = signs
    weights = np.zeros(sets.shape[:2])
    weights[:, 0] = 1.0
    return dual_ascent.Duals(sets, weights)


def _with_more_slots(duals):
    """Return the same dual variables with twice the room for label sets."""
    return dual_ascent.Duals(
        np.concatenate([duals.sets, duals.sets], axis=1),
        np.concatenate([duals.weights, np.zeros_like(duals.weights)], axis=1),
    )


def _as_rows(psi, signs):
    if sp.issparse(psi):
        data, indices, indptr = psi.data, psi.indices, psi.indptr
        squared = np.asarray(psi.multiply(psi).sum(axis=1)).ravel()
    else:
        n, d = psi.shape
        data, indices = psi.ravel(), np.tile(np.arange(d), n)
        indptr = np.arange(0, n * d + 1, d)
        squared = np.einsum("nd,nd->n", psi, psi)
    return dual_ascent.Rows(
        np.ascontiguousarray(data, dtype=np.float64),
        indices.astype(np.int32),
        indptr.astype(np.int64),
        squared,
        signs,
    )
