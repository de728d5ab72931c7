"""RMF: the random mixed field, restoring numbers and categories in one model."""

import warnings
from collections.abc import Mapping

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from labelfield._validation import as_generator
from labelfield.restore.base import TableRestorer
from labelfield.restore.explain import explain_cell
from labelfield.restore.graph import MixedGraph
from labelfield.restore.inference.noise import Noise
from labelfield.restore.inference.noise_estimate import estimate_noise
from labelfield.restore.inference.posterior import INFERENCE
from labelfield.restore.learning.learn import learn_field
from labelfield.restore.restoration import (
    Restoration,
    cell_amounts,
    cell_surprises,
    spread_columns,
)
from labelfield.restore.spikes import Spikes
from labelfield.restore.tables.codec import EncodedTable, best_states
from labelfield.restore.tables.frames import read_columns

__all__ = ["RandomMixedField"]

SAMPLE_ROWS = 1000


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
        share of its training cells stand at it (no debt, no children), which a Gaussian cannot
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
        The learned law of standardised rows; the nodes of the spikes come last.
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
        self._check_parameters()
        rng = as_generator(self.random_state)
        self._spikes = Spikes.find(clean, self.spike_share)
        learned = learn_field(
            self._spikes.beside(clean),
            self._spikes.widen(self.codec_.shape),
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
        return self._restored(self._infer(dirty, self._noise(dirty))[-1])

    def restore(self, X, *, return_std=False, return_proba=False):
        """Restore a table and tell how sure every cell is and which were changed.

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
        node_noise, nodes, posterior = self._infer(dirty, noise)
        codec = self.codec_
        table = codec.decode(X, columns, dirty, self._restored(posterior))
        _, after = read_columns(self, table, reset=False)
        filled = np.column_stack([column.missing for column in columns])
        moved = np.column_stack([a.values != b.values for a, b in zip(columns, after)])
        starts = codec.shape.state_starts
        amount = spread_columns(codec, cell_amounts(dirty, posterior, starts), np.nan)
        surprises = cell_surprises(self.net_, node_noise, nodes, posterior)
        surprise = spread_columns(codec, surprises, np.nan)
        unknown = spread_columns(codec, ~dirty.observed(), False) & ~filled
        amount[unknown], surprise[unknown] = 1.0, np.inf
        nominal = [codec.names[j] for j in codec.categorical]
        numeric = [codec.names[j] for j in codec.numeric]
        split = np.split(posterior.proba, np.append(starts, sum(codec.shape.n_states))[1:], axis=1)
        return Restoration(
            table=table,
            filled=filled,
            changed=moved & ~filled,
            amount=amount,
            surprise=surprise,
            std=self._std(posterior) if return_std else None,
            proba=dict(zip(nominal, split)) if return_proba else None,
            states=dict(zip(nominal, codec.states)),
            noise_scale=dict(zip(numeric, (noise.scale * codec.scale).tolist())),
            flip_rate=dict(zip(nominal, noise.flip_rate.tolist())),
            _before=columns,
            _after=after,
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
        noise = self._noise(dirty)
        return explain_cell(
            self.net_,
            self.codec_,
            self._spikes,
            *self._infer(dirty.take([row]), noise),
            self._frequency,
            self.codec_.position(column),
        )

    def _infer(self, dirty, noise):
        """Noise and cells of all nodes, those of the spikes included, and their posterior."""
        noise = self._spikes.sure(noise)
        nodes = self._spikes.beside(dirty, trusted=noise.scale == 0)
        return (
            noise,
            nodes,
            INFERENCE[self.inference](self.net_, noise, nodes.numbers, nodes.codes),
        )

    def _columns(self, nodes):
        """A table of all nodes without those of the spikes."""
        return EncodedTable(nodes.numbers, nodes.codes[:, : len(self.codec_.states)])

    def _restored(self, posterior):
        return EncodedTable(posterior.mean, best_states(posterior.proba, self.codec_.shape))

    def _std(self, posterior):
        codes = np.full((len(posterior.mean), len(self.codec_.states)), np.nan)
        numbers = np.sqrt(posterior.variance) * self.codec_.scale
        return spread_columns(self.codec_, np.concatenate([numbers, codes], axis=1), np.nan)

    def _noise(self, dirty):
        codec = self.codec_
        scale = self._per_column(self.noise_scale, codec.numeric, codec.scale, "noise_scale")
        flip = self._per_column(self.flip_rate, codec.categorical, 1.0, "flip_rate")
        if scale is None or flip is None:
            rng = np.random.default_rng(self._seed)
            # what a number's own spike says must not speak for the number
            sample, cells = (self._spikes.beside(t, trusted=False) for t in (self._sample, dirty))
            if flip is not None:
                flip = np.append(flip, np.zeros(len(self._spikes)))
            noise = estimate_noise(self.net_, sample, cells, rng, scale=scale, flip=flip)
            return Noise(noise.scale, noise.transition[: len(codec.states)])
        return Noise.uniform(codec.shape, scale, flip)

    def _per_column(self, given, positions, units, name):
        """Values per column in model units, or None to estimate them."""
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

    def _check_parameters(self):
        if self.inference not in INFERENCE:
            raise ValueError(
                f"inference must be one of {', '.join(INFERENCE)}; got {self.inference!r}."
            )
        if self.alpha != "auto" and not (_is_number(self.alpha) and self.alpha >= 0):
            raise ValueError(f"alpha must be 'auto' or a number from 0 up; got {self.alpha!r}.")
        if self.spike_share is not None and not (
            _is_number(self.spike_share) and 0 < self.spike_share <= 1
        ):
            raise ValueError(
                f"spike_share must be None or a number above 0, up to 1; got {self.spike_share!r}."
            )
        for name, top in (("noise_scale", np.inf), ("flip_rate", 1.0)):
            given = getattr(self, name)
            values = given.values() if isinstance(given, Mapping) else [given]
            for value in values:
                if given != "estimate" and not (_is_number(value) and 0 <= value < top):
                    raise ValueError(
                        f"{name} must be 'estimate', or numbers from 0 up to {top} (or a mapping "
                        f"of columns to such); got {value!r}."
                    )


def _is_number(value):
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)
