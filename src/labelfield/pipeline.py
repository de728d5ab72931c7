"""Pipelines that end in one of our models and can do all that it can."""

from sklearn import get_config
from sklearn.pipeline import Pipeline, _name_estimators
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from labelfield.io import save

__all__ = ["JointPipeline", "make_pipeline"]


def make_pipeline(*steps, memory=None, transform_input=None, verbose=False):
    """Return a pipeline that ends in a model of labelfield and can do all that it can.

    As scikit-learn's `make_pipeline`, which forgets `predict_joint`, `predict(decoder=...)`,
    `route` and the like. Put such a pipeline inside a wrapper that fits models to folds, as in
    `CalibratedSetClassifier(make_pipeline(TfidfVectorizer(), BinaryRelevance()))`: then the steps
    before the model do not see the rows that it is judged on either.

    Parameters
    ----------
    *steps : estimators
        Transformers, then a classifier of labelfield.
    memory, transform_input, verbose
        See scikit-learn's `Pipeline`.

    Returns
    -------
    pipeline : JointPipeline

    Examples
    --------
    >>> from sklearn.feature_extraction.text import TfidfVectorizer
    >>> from labelfield import LabelPowerset, make_pipeline
    >>> texts = ["rain and wind", "sun", "wind", "sun and wind"] * 10
    >>> Y = [[1, 0, 1], [0, 1, 0], [0, 0, 1], [0, 1, 1]] * 10
    >>> model = make_pipeline(TfidfVectorizer(), LabelPowerset(alpha=1.0)).fit(texts, Y)
    >>> model.predict(["sun or wind"], decoder="f1")
    array([[0, 1, 1]])
    >>> model.predict_joint(["sun"]).mode()
    array([[0, 1, 0]], dtype=uint8)
    """
    named = _name_estimators(steps)
    return JointPipeline(named, memory=memory, transform_input=transform_input, verbose=verbose)


def _last_step_has(name):
    def check(pipeline):
        getattr(pipeline.steps[-1][1], name)  # its own AttributeError says what is missing
        return True

    return check


class JointPipeline(Pipeline):
    """A scikit-learn pipeline that ends in a model of labelfield; see `make_pipeline`.

    Methods of the last step that take X are methods of the pipeline, as far as the last step has
    them; X is transformed first.

    Parameters
    ----------
    steps : list of (str, estimator)
    memory, transform_input, verbose
        See scikit-learn's `Pipeline`.

    Examples
    --------
    >>> from sklearn.preprocessing import StandardScaler
    >>> from labelfield import BinaryRelevance, JointPipeline
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=100, n_labels=3, random_state=0)
    >>> model = JointPipeline([("scale", StandardScaler()), ("model", BinaryRelevance())])
    >>> model.fit(data.X, data.Y).predict_joint(data.X[:2]).marginals().shape
    (2, 3)
    """

    def fit(self, X, y=None, sample_weight=None, **params):
        """Fit the steps, the last one with the weights.

        Parameters
        ----------
        X : whatever the first step takes, n rows
        y : array, CSR matrix or data frame of shape (n, L)
        sample_weight : array of shape (n,), optional
            For the last step.
        **params
            Further parameters of steps, see scikit-learn's `Pipeline.fit`.

        Returns
        -------
        self
        """
        name, model = self.steps[-1]
        if not hasattr(model, "predict_joint"):
            raise ValueError(
                f"The last step {model!r} has no predict_joint; end the pipeline in a model of "
                "labelfield, such as BinaryRelevance(classifier), or use scikit-learn's Pipeline."
            )
        if sample_weight is not None:
            if not has_fit_parameter(model, "sample_weight"):
                raise ValueError(f"The fit of {type(model).__name__} takes no sample_weight.")
            routed = get_config()["enable_metadata_routing"]
            params["sample_weight" if routed else f"{name}__sample_weight"] = sample_weight
        return super().fit(X, y, **params)

    def predict(self, X, decoder=None):
        """Return the label set of each row; see `JointClassifier.predict`."""
        return self._ask("predict", X, decoder=decoder)

    @available_if(_last_step_has("predict_names"))
    def predict_names(self, X, decoder=None):
        """Return the names of the labels in the predicted set of each row: n tuples of str."""
        return self._ask("predict_names", X, decoder=decoder)

    @available_if(_last_step_has("predict_joint"))
    def predict_joint(self, X):
        """Return the distribution over label sets of each row."""
        return self._ask("predict_joint", X)

    @available_if(_last_step_has("predict_given"))
    def predict_given(self, X, known, **options):
        """Return P(y_l = 1 | x, the other labels of the row) of every label."""
        return self._ask("predict_given", X, known, **options)

    @available_if(_last_step_has("predict_confidence"))
    def predict_confidence(self, X):
        """Return the probability that the predicted set of each row is right: (n,)."""
        return self._ask("predict_confidence", X)

    @available_if(_last_step_has("confidence_of"))
    def confidence_of(self, X, sets):
        """Return the probability that given sets (n, L) are right: (n,)."""
        return self._ask("confidence_of", X, sets)

    @available_if(_last_step_has("automation_curve"))
    def automation_curve(self, X, y):
        """Return accuracy against the share of accepted sets on labelled rows."""
        return self._ask("automation_curve", X, y)

    @available_if(_last_step_has("route"))
    def route(self, X, accuracy=0.95, confidence_level=0.95, **options):
        """Separate predictions that can be accepted from those that need review."""
        return self._ask("route", X, accuracy, confidence_level, **options)

    @available_if(_last_step_has("acceptance"))
    def acceptance(self, accuracy=0.95, confidence_level=0.95, **options):
        """Return from which confidence on sets may be accepted, and what that promises."""
        return self.steps[-1][1].acceptance(accuracy, confidence_level, **options)

    @available_if(_last_step_has("promise_on"))
    def promise_on(self, X, y):
        """Rest promises on reviewed rows that nothing behind the pipeline has seen."""
        self._ask("promise_on", X, y)
        return self

    @available_if(_last_step_has("predict_alternatives"))
    def predict_alternatives(self, X, coverage=0.9, max_sets=10):
        """Return a few label sets for each row, among which the truth is."""
        return self._ask("predict_alternatives", X, coverage, max_sets)

    @available_if(_last_step_has("predict_expected_f1"))
    def predict_expected_f1(self, X):
        """Return the expected F1 of the predicted set of each row: (n,)."""
        return self._ask("predict_expected_f1", X)

    @available_if(_last_step_has("explain"))
    def explain(self, X, sets=None, **options):
        """Say why each row has its label set; features have the names that other steps give."""
        return self._ask("explain", X, sets, feature_names=self._feature_names(), **options)

    @property
    def label_names_(self):
        """The names of the labels."""
        return self.steps[-1][1].label_names_

    @property
    def label_graph_(self):
        """The LabelGraph of the last step, where it has one."""
        return self.steps[-1][1].label_graph_

    def save(self, path):
        """Write the pipeline to a file for `labelfield.load`; see `labelfield.save`."""
        save(self, path)

    def _ask(self, method, X, *args, **options):
        """Return what a method of the last step answers about the transformed X."""
        check_is_fitted(self)
        if len(self.steps) > 1:
            X = self[:-1].transform(X)
        return getattr(self.steps[-1][1], method)(X, *args, **options)

    def _feature_names(self):
        """Return the names of what the last step sees, None where a step gives no names."""
        try:
            return self[:-1].get_feature_names_out() if len(self.steps) > 1 else None
        except AttributeError:
            return None

    def _bytes_per_row(self):
        return self.steps[-1][1]._bytes_per_row()

    @property
    def _fitted_decoder(self):
        return self.steps[-1][1]._fitted_decoder
