"""RMF: the random mixed field, restoring numbers and categories in one model."""

import warnings
from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import (
    Interval,
    StrOptions,
    validate_parameter_constraints,
)

from labelfield._gate.validation import as_generator
from labelfield.restore.base import TableRestorer
from labelfield.restore.explain import explain_cell
from labelfield.restore.graph import MixedGraph
from labelfield.restore.inference.noise import Noise
from labelfield.restore.inference.noise_estimate import estimate_noise
from labelfield.restore.inference.posterior import INFERENCE
from labelfield.restore.inference.surprise import cell_surprises
from labelfield.restore.learning.learn import learn_field
from labelfield.restore.restoration import Restoration
from labelfield.restore.spikes import Spikes
from labelfield.restore.tables.codec import EncodedTable, best_states
from labelfield.restore.tables.frames import read_columns

__all__ = ["RandomMixedField"]

SAMPLE_ROWS = 1000
NOISE_RANGES = {
    "noise_scale": Interval(Real, 0, None, closed="left"),
    "flip_rate": Interval(Real, 0, 1, closed="left"),
}


class RandomMixedField(TableRestorer):
    """RMF: fill holes and correct wrong cells in tables of numbers and categories.

    A Gaussian-Potts field is learned on clean rows: which columns inform which. A dirty row is then
    restored to its most plausible clean values, given how noisy cells are taken to be.

    Parameters
    ----------
    categorical : "auto", list of columns or mask, default "auto"
        Which columns hold categories. "auto" goes by dtype: text, booleans and categoricals are
        categories, numbers and dates are numbers, whatever few values they take. Text of which
        most cells differ (names, ids) is refused unless it is named here.
    alpha : float or "auto", default "auto"
        Strength of the edge penalty. "auto" takes the one of {0.01, 0.02, 0.04, 0.08} with the
        best pseudo-likelihood on a held-out fifth (of at most 4000 rows), then refits on all rows.
    noise_scale : float, mapping or "estimate", default 0.0
        Noise on observed numbers. A float is a fraction of each column's training standard
        deviation; a mapping gives standard deviations in the column's own units, days for dates
        (0 where missing from it). The default 0 trusts observed numbers and only fills holes.
    flip_rate : float, mapping or "estimate", default 0.0
        Probability that an observed category is wrong; the default 0 trusts them.
    spike_share : float or None, default 0.2
        The lowest or highest value of a number column gets a node of its own where at least this
        share of its training cells hold it (no debt, no children), which a Gaussian cannot
        express; only in columns of ten or more values. None for the field of the thesis.
    inference : {"collapsed", "mean_field"}, default "collapsed"
        "collapsed" integrates the numbers out before belief propagation; "mean_field" is the
        structured mean field of the thesis.
    handle_unknown : {"error", "missing"}, default "error"
        What becomes of a category never seen in training: an error, or a hole to fill.
    max_iter : int, default 1000
    tol : float, default 3e-4
        The fit stops when no entry of the proximal gradient is larger.
    random_state : int, Generator, RandomState or None, default None
        Draws the held-out fifth and the rows that calibrate noise estimates.

    Attributes
    ----------
    net_ : MixedNet
        The learned distribution of standardised rows; the nodes of the spikes come last.
    alpha_ : float
        Strength used.
    alpha_path_ : dict of float to float
        Held-out loss of each strength tried.
    graph_ : MixedGraph
        Which columns inform which.
    codec_ : TableCodec
        Kinds, scales and states of the columns.
    trace_ : Trace
    n_iter_ : int

    References
    ----------
    Q. Li, W. Bian, R. Y. D. Xu, J. You, D. Tao: Random mixed field model for mixed-attribute data
    restoration, AAAI 2016.

    Examples
    --------
    >>> import pandas as pd
    >>> from labelfield.restore import RandomMixedField
    >>> clean = pd.DataFrame({"height": [1.6, 1.9] * 20, "size": ["s", "l"] * 20})
    >>> dirty = pd.DataFrame({"height": [1.9, None], "size": [None, "s"]})
    >>> RandomMixedField(alpha=0.02).fit(clean).transform(dirty).round(1)
       height size
    0     1.9    l
    1     1.6    s
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TableRestorer._parameter_constraints,
        "alpha": [StrOptions({"auto"}), Interval(Real, 0, None, closed="left")],
        "noise_scale": [StrOptions({"estimate"}), NOISE_RANGES["noise_scale"], Mapping],
        "flip_rate": [StrOptions({"estimate"}), NOISE_RANGES["flip_rate"], Mapping],
        "spike_share": [Interval(Real, 0, 1, closed="right"), None],
        "inference": [StrOptions(set(INFERENCE))],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
    }

    def __init__(
        self,
        *,
        categorical="auto",
        alpha="auto",
        noise_scale=0.0,
        flip_rate=0.0,
        spike_share=0.2,
        inference="collapsed",
        handle_unknown="error",
        max_iter=1000,
        tol=3e-4,
        random_state=None,
    ):
        self.categorical = categorical
        self.alpha = alpha
        self.noise_scale = noise_scale
        self.flip_rate = flip_rate
        self.spike_share = spike_share
        self.inference = inference
        self.handle_unknown = handle_unknown
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _learn(self, clean):
        rng = as_generator(self.random_state)
        self._spikes = Spikes.find(clean, self.spike_share)
        learned = learn_field(
            self._spikes.node_cells(clean),
            self._spikes.node_shape(self.codec_.shape),
            alpha=self.alpha,
            tol=self.tol,
            max_iter=self.max_iter,
            rng=rng,
        )
        self.net_, self.alpha_, self.alpha_path_ = learned.net, learned.alpha, learned.path
        self.trace_, self.n_iter_ = learned.trace, learned.trace.n_iter
        self.graph_ = MixedGraph.of_net(self.net_, self.codec_, self._spikes)
        self._frequency = learned.states.mean(axis=0)
        self._sample = self._columns(learned.sample(rng.permutation(len(clean))[:SAMPLE_ROWS]))
        self._seed = int(rng.integers(2**31))
        if self.trace_.reason == "max_iter":
            warnings.warn(
                f"The field did not settle in max_iter={self.max_iter} iterations; raise it.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _clean(self, dirty):
        _, _, posterior = self._infer(dirty, self._noise(dirty), certainty=False)
        return self._restored(posterior)

    def restore(self, X, *, return_std=False, return_proba=False):
        """Restore a table and report how certain every cell is and which cells were changed.

        Parameters
        ----------
        X : table with the columns seen in `fit`
        return_std : bool, default False
            Also give the standard deviation of every number.
        return_proba : bool, default False
            Also give the probabilities of every state.

        Returns
        -------
        Restoration
        """
        X, columns, dirty = self._encode(X)
        noise = self._noise(dirty)
        cells, node_noise, posterior = self._infer(dirty, noise)
        table = self.codec_.decode(X, columns, dirty, self._restored(posterior))
        _, after = read_columns(self, table, reset=False)
        surprise = cell_surprises(self.net_, node_noise, cells, posterior)
        result = Restoration.of(
            self.codec_, table, columns, after, dirty, noise, posterior, surprise
        )
        return replace(
            result,
            std=result.std if return_std else None,
            proba=result.proba if return_proba else None,
        )

    def explain(self, X, row, column):
        """Say what the neighbours of a cell contribute to its restored value.

        Parameters
        ----------
        X : table with the columns seen in `fit`
        row : int
            Position of the row in X.
        column : name or position of the column

        Returns
        -------
        CellExplanation
        """
        _, columns, dirty = self._encode(X)
        if not -len(dirty) <= row < len(dirty):
            raise ValueError(f"row must be below {len(dirty)}, the rows of X; got {row!r}.")
        position = self.codec_.position(column)
        cells, noise, posterior = self._infer(dirty.take([row]), self._noise(dirty))
        return explain_cell(
            self.net_,
            self.codec_,
            self._spikes,
            noise,
            cells,
            posterior,
            self._frequency,
            position,
        )

    def _infer(self, dirty, noise, certainty=True):
        """Cells, noise and posterior of all nodes, those of the spikes included."""
        cells = self._spikes.node_cells(dirty, trusted=noise.scale == 0)
        noise = self._spikes.node_noise(noise)
        infer = INFERENCE[self.inference]
        posterior = infer(self.net_, noise, cells.numbers, cells.codes, certainty=certainty)
        return cells, noise, posterior

    def _noise(self, dirty):
        """Noise of the columns: as given, or estimated from the dirty table."""
        codec = self.codec_
        scale = self._per_column("noise_scale", codec.numeric, codec.scale)
        flip = self._per_column("flip_rate", codec.categorical, 1.0)
        if scale is not None and flip is not None:
            return Noise.uniform(codec.shape, scale, flip)
        rng = np.random.default_rng(self._seed)
        # a spike is read off its number, so that it is no evidence about the number's noise
        sample, cells = (self._spikes.node_cells(t, trusted=False) for t in (self._sample, dirty))
        if flip is not None:
            flip = np.append(flip, np.zeros(len(self._spikes)))
        noise = estimate_noise(self.net_, sample, cells, rng, scale=scale, flip=flip)
        return Noise(noise.scale, noise.transition[: len(codec.states)])

    def _per_column(self, name, positions, units):
        """Noise per column in the units of the model, or None to estimate it."""
        given = getattr(self, name)
        if isinstance(given, str):
            return None
        if not isinstance(given, Mapping):
            return np.full(len(positions), float(given))
        values = {self.codec_.position(column): value for column, value in given.items()}
        unfit = [self.codec_.names[j] for j in values if j not in positions]
        if unfit:
            kind = "numeric" if name == "noise_scale" else "categorical"
            raise ValueError(f"{name} names {unfit[0]!r}, which is not a {kind} column.")
        return np.array([values.get(j, 0.0) for j in positions], dtype=float) / units

    def _columns(self, cells):
        """A table of all nodes without those of the spikes."""
        return EncodedTable(cells.numbers, cells.codes[:, : len(self.codec_.states)])

    def _restored(self, posterior):
        """The most plausible clean cells."""
        return EncodedTable(posterior.mean, best_states(posterior.proba, self.codec_.shape))

    def _validate_params(self):
        super()._validate_params()
        for name, range_ in NOISE_RANGES.items():
            given = getattr(self, name)
            if isinstance(given, Mapping):
                values = {f"{name}[{column!r}]": value for column, value in given.items()}
                ranges = {column: [range_] for column in values}
                validate_parameter_constraints(ranges, values, type(self).__name__)
