"""Fits on a dask cluster: the answers of a fit in memory, also when a worker is killed."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

from dask_workers import two_workers
from labelfield import (
    BinaryRelevance,
    ClassifierChain,
    ConditionalBernoulliMixture,
    CorrelatedLogistic,
    EarlyStopping,
    LabelPowerset,
    MLkNN,
    PairwiseCRF,
    on_cluster,
)
from labelfield.datasets import make_multilabel

pytest.importorskip("distributed", reason="not installed: labelfield[dask]")
da = pytest.importorskip("dask.array", reason="not installed: labelfield[dask]")
# A strong penalty is soon at its minimum: every step is a round over the cluster.
TIGHT = {"alpha": 30.0, "tol": 1e-10, "max_iter": 2000}
pytestmark = pytest.mark.filterwarnings("ignore:Sending large graph")


@pytest.fixture(scope="module")
def data():
    return make_multilabel(n_samples=300, n_features=6, n_labels=4, random_state=0)


@pytest.fixture(scope="module")
def client():
    with two_workers(processes=False) as client:
        yield client


def chunked(data, size=120):
    return da.from_array(data.X, chunks=(size, 3)), da.from_array(data.Y, chunks=(size, -1))


@pytest.mark.usefixtures("client")
@pytest.mark.parametrize("kind", [BinaryRelevance, ClassifierChain, LabelPowerset])
def test_same_answer_as_in_memory(data, kind):
    wanted = kind(**TIGHT).fit(data.X, data.Y)
    found = kind(**TIGHT).fit(*chunked(data))
    difference = found.predict_proba(data.X) - wanted.predict_proba(data.X)
    assert np.abs(difference).max() < 1e-8


@pytest.mark.slow
@pytest.mark.parametrize("kind", [BinaryRelevance, LabelPowerset])
def test_strengths_are_chosen_alike_and_where_the_rows_are(data, kind, client, monkeypatch):
    gathered = []
    gather = type(client).gather

    def counting(client, futures, **options):
        answer = gather(client, futures, **options)
        parts = answer if isinstance(answer, (list, tuple)) else [answer]
        gathered.extend(np.shape(part) for part in parts if not isinstance(part, dict))
        return answer

    wanted = kind().fit(data.X, data.Y)
    monkeypatch.setattr(type(client), "gather", counting)
    found = kind().fit(*chunked(data))
    assert found.alpha_ == pytest.approx(wanted.alpha_, rel=1e-6)
    assert not {(70, 6), (20, 6)} & set(gathered)  # no block of X


@pytest.mark.slow
@pytest.mark.usefixtures("client")
@pytest.mark.parametrize(
    "model",
    [
        ConditionalBernoulliMixture(
            n_components=2, early_stopping=EarlyStopping(), max_iter=2, random_state=0, alpha=0.5
        ),
        PairwiseCRF(alpha=0.5),
        CorrelatedLogistic(alpha=0.5),
    ],
    ids=["mixture", "crf", "corrlog"],
)
def test_mixtures_and_fields_give_the_same_answer(data, model):
    wanted = model.set_params(tol=1e-10).fit(data.X, data.Y).predict_proba(data.X)
    found = model.fit(*chunked(data)).predict_proba(data.X)
    np.testing.assert_allclose(found, wanted, atol=1e-8)


@pytest.mark.usefixtures("client")
def test_weights_unknown_chunk_sizes_and_constant_columns(data):
    X = np.insert(data.X, 2, 7.0, axis=1)
    weight = np.random.default_rng(0).random(len(X))
    lazy = [da.from_array(part, chunks=(120, *part.shape[1:])) for part in (X, data.Y)]
    kept = lazy[0][:, 0] > -1e9  # all rows, but dask cannot know that
    lazy = [part[kept] for part in (*lazy, da.from_array(weight, chunks=120))]
    assert np.isnan(lazy[0].chunks[0][0])
    wanted = BinaryRelevance(**TIGHT).fit(X, data.Y, sample_weight=weight)
    found = BinaryRelevance(**TIGHT).fit(lazy[0], lazy[1], sample_weight=lazy[2])
    np.testing.assert_allclose(found.coef_, wanted.coef_, atol=1e-8)


def test_blocks_sent_to_workers_may_be_sparse(data, client):
    dense = data.X * (np.abs(data.X) > 1.0)
    rows = [slice(0, 100), slice(100, 130), slice(130, 300)]
    blocks = [(sp.csr_matrix(dense[part]), sp.csr_matrix(data.Y[part])) for part in rows]
    wanted = BinaryRelevance(**TIGHT).fit(sp.csr_matrix(dense), data.Y)
    found = BinaryRelevance(**TIGHT).fit(on_cluster(blocks, client))
    np.testing.assert_allclose(found.coef_, wanted.coef_, atol=1e-8)
    assert sp.issparse(found.predict(dense))


@pytest.mark.usefixtures("client")
def test_data_frames_keep_label_names(data):
    dd = pytest.importorskip("dask.dataframe", reason="not installed: dask[dataframe]")
    pd = pytest.importorskip("pandas", reason="not installed: labelfield[frames]")
    names = ["sun", "rain", "wind", "snow"]
    X = dd.from_pandas(pd.DataFrame(data.X, columns=list("abcdef")), npartitions=3)
    Y = dd.from_pandas(pd.DataFrame(data.Y, columns=names), npartitions=3)
    found = BinaryRelevance(**TIGHT).fit(X, Y)
    assert found.label_names_.tolist() == names
    wanted = BinaryRelevance(**TIGHT).fit(data.X, data.Y)
    np.testing.assert_allclose(found.coef_, wanted.coef_, atol=1e-8)


@pytest.mark.usefixtures("client")
def test_answers_are_lazy(data):
    X, Y = chunked(data)
    model = BinaryRelevance(alpha=0.5).fit(X, Y)
    lazy = model.predict(X)
    assert isinstance(lazy, da.Array)
    np.testing.assert_array_equal(lazy.compute(), model.predict(data.X))
    proba = model.predict_proba(X).compute()
    np.testing.assert_allclose(proba, model.predict_proba(data.X), atol=1e-12)
    joints = model.predict_joint(X)
    assert len(joints) == 3
    first = joints[0].compute().marginals()
    np.testing.assert_allclose(first, model.predict_proba(data.X[:120]), atol=1e-12)


def test_errors_name_the_way_out(data, client):
    X, Y = chunked(data)
    with pytest.raises(TypeError, match="give y as one of the same rows"):
        BinaryRelevance().fit(X, data.Y)
    with pytest.raises(ValueError, match="rechunk them alike"):
        BinaryRelevance().fit(X, Y.rechunk((150, 4)))
    with pytest.raises(ValueError, match="cannot learn from"):
        MLkNN().fit(X, Y)
    from sklearn.tree import DecisionTreeClassifier

    with pytest.raises(ValueError, match="leave out `estimator`"):
        BinaryRelevance(DecisionTreeClassifier()).fit(X, Y)
    blocks = [(data.X[:9], data.Y[:9]), (data.X[9:, :2], data.Y[9:])]
    weight = np.ones(len(data.X))
    for wrong, message in [
        (blocks, "Block 1 has dense X of 2 columns"),
        ([(data.X, data.Y), (data.X, data.Y[:, :2])], "Block 1 has .* 2 labels"),
        ([(data.X, data.Y), (data.X, data.Y, weight)], "Block 0 has no weights and others have"),
        ([(data.X, data.Y, 0.0 * weight)], "weights are 0 in every row"),
        ([(data.X, data.Y + 1)], "Y of block 0 holds 2"),
        ([], "There are no blocks"),
    ]:
        with pytest.raises(ValueError, match=message):
            BinaryRelevance().fit(on_cluster(wrong, client))


def test_workers_without_the_package(data, client, monkeypatch):
    monkeypatch.setattr(client, "run", lambda *args: {"tcp://here": None, "tcp://there": "spec"})
    with pytest.raises(ImportError, match="not installed on 1 of 2 workers, such as tcp://here"):
        BinaryRelevance().fit(on_cluster([(data.X, data.Y)], client))


def test_without_a_cluster_or_dask(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r"pip install labelfield\[dask\]"):
        on_cluster([])


def test_the_command_line_fits_on_a_cluster(data, client, tmp_path):
    from labelfield.cli.commands.fit import fit_on_cluster

    wanted = BinaryRelevance(**TIGHT).fit(data.X, data.Y)
    found = BinaryRelevance(**TIGHT)
    fit_on_cluster(found, data, client.scheduler.address)
    np.testing.assert_allclose(found.coef_, wanted.coef_, atol=1e-8)


@pytest.mark.slow
def test_a_killed_worker_costs_its_blocks_only(data):
    wanted = BinaryRelevance(**TIGHT).fit(data.X, data.Y)
    with two_workers(processes=True) as client:
        blocks = on_cluster([(data.X[i::6], data.Y[i::6]) for i in range(6)], client)
        pids = sorted(client.run(os.getpid).values())
        killer = subprocess.Popen(  # in the middle of the fit
            [sys.executable, "-c", f"import os, time; time.sleep(1); os.kill({pids[0]}, 9)"]
        )
        model = BinaryRelevance(**TIGHT)
        while killer.poll() is None:  # fits follow one another until the worker is gone
            model.fit(blocks)
        model.fit(blocks)
        assert pids[0] not in client.run(os.getpid).values()
    assert signal.SIGKILL == 9
    np.testing.assert_allclose(model.coef_, wanted.coef_, atol=1e-8)
