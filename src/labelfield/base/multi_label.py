"""What scikit-learn sees of every classifier, and label sets that look like the target."""

from numbers import Integral

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import get_tags

from labelfield._gate.indicator import read_dense_indicator
from labelfield._gate.tags import holds_tags, tags_as_sets
from labelfield._namespaces import HOST, is_tensor, namespace, to_host
from labelfield._progress import CallbackSupportMixin
from labelfield.base.devices import to_device
from labelfield.io import save

__all__ = ["MultiLabelClassifier"]


class MultiLabelClassifier(CallbackSupportMixin, ClassifierMixin, BaseEstimator):
    """Base of all classifiers: scikit-learn tags and predictions that look like the target."""

    _follows_tensors = False  # whether `_fit` and `_joint` compute on tensors where they lie
    _place = HOST  # where the rows of `fit` and the learned arrays live

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.classifier_tags.multi_class = False
        tags.target_tags.multi_output = True
        tags.input_tags.sparse = True
        inner = [e for e in self._inner_estimators() if hasattr(e, "__sklearn_tags__")]
        for name in ("allow_nan", "sparse", "string") if inner else ():
            agreed = all(getattr(get_tags(e).input_tags, name) for e in inner)
            setattr(tags.input_tags, name, agreed)
        tags.array_api_support = self._computes_on_tensors()
        return tags

    def _computes_on_tensors(self):
        """Return whether X may be a tensor of another library than numpy, such as torch."""
        return self._follows_tensors and not self._inner_estimators()

    def _inner_estimators(self):
        """Return the estimators that X is handed to as it came: none where we compute on X.

        A model with an `estimator` leaves X to it. One that computes on X as well returns [].
        """
        estimator = getattr(self, "estimator", None)
        return [] if estimator is None else [estimator]

    def _in_main_memory(self):
        """Return the fitted model with arrays of numpy, as files hold it."""
        return self if self._place == HOST else to_device(self)

    def save(self, path):
        """Write the model to a file for `labelfield.load`; see `labelfield.save`."""
        save(self, path)

    def predict_top_labels(self, X, k=5):
        """Return the k most probable labels of each row and their probabilities.

        Goes over blocks of rows, so that very many labels need little memory.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
        k : int, default=5
            Number of labels, between 1 and L.

        Returns
        -------
        labels, probabilities : int and float arrays of shape (n, k), best first

        Examples
        --------
        >>> from labelfield import BinaryRelevance
        >>> X = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]] * 10
        >>> tags = [["rain"], ["wind"], ["rain", "wind"]] * 10
        >>> BinaryRelevance(alpha=0.1).fit(X, tags).predict_top_labels(X[:2], k=1)[0].tolist()
        [[0], [1]]
        """
        n_labels = len(self.label_names_)
        if not isinstance(k, Integral) or not 1 <= k <= n_labels:
            raise ValueError(f"k={k!r} must be a whole number between 1 and {n_labels}.")

        def best(joint):
            p = joint.marginals()
            top = np.argpartition(-p, k - 1, axis=1)[:, :k]
            found = np.take_along_axis(p, top, axis=1)
            order = np.argsort(-found, axis=1, kind="stable")
            pair = np.take_along_axis(top, order, axis=1), np.take_along_axis(found, order, axis=1)
            return np.stack(pair, axis=2)

        pairs = self._by_blocks(X, best)
        return pairs[..., 0].astype(np.intp), pairs[..., 1]

    def score(self, X, y, sample_weight=None):
        """Return the share of rows whose set is right; y as in `fit`."""
        if holds_tags(y):
            y = tags_as_sets(y, self.label_names_, "y")
        return super().score(X, y, sample_weight)

    def _like_target(self, Y):
        """Give label sets (n, L) the dtype, dimension and sparseness of the training target."""
        if self._target.one_dimensional:
            return self._place.asarray(self.classes_[to_host(Y[:, 0])])
        if self._target.sparse and not is_tensor(Y):
            return sp.csr_matrix(Y.astype(self._target.dtype))
        xp = namespace(Y)
        return xp.astype(Y, getattr(xp, self._target.dtype.name))

    def _read_sets(self, Y, n_rows, name):
        """Return label sets that look like the target as uint8 (n, L), and what is unknown."""
        if self._target.one_dimensional and np.ndim(Y) == 1:
            strange = ~np.isin(Y, self.classes_)
            if strange.any():
                raise ValueError(
                    f"{name} holds {np.asarray(Y)[strange][0]!r}, but the classes are "
                    f"{self.classes_.tolist()}."
                )
            Y = np.asarray(Y) == self.classes_[1]
        if holds_tags(Y):
            Y = tags_as_sets(Y, self.label_names_, name)
        ones, unknown = read_dense_indicator(Y, name)
        if ones.shape != (n_rows, len(self.label_names_)):
            raise ValueError(
                f"{name} must have shape {(n_rows, len(self.label_names_))}; got {ones.shape}."
            )
        return ones.astype(np.uint8), unknown
