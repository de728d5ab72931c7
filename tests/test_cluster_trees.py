"""Trees and boosting by block on dask workers: the bits of a fit in memory, also after a kill."""

import os
import signal
import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import RidgeClassifier

from dask_workers import two_workers
from labelfield import BinaryRelevance, BlockBagging, ClassifierChain, LabelPowerset, on_cluster
from labelfield.datasets import make_multilabel
from row_blocks import cut

pytest.importorskip("distributed", reason="not installed: labelfield[dask]")
da = pytest.importorskip("dask.array", reason="not installed: labelfield[dask]")
pytestmark = pytest.mark.filterwarnings("ignore:Sending large graph")
SIZE = 120
MODELS = [BinaryRelevance, ClassifierChain, LabelPowerset]


@pytest.fixture(scope="module")
def data():
    made = make_multilabel(n_samples=300, n_features=6, n_labels=4, random_state=0)
    X = np.insert(made.X, 2, 7.0, axis=1)  # a constant column
    Y = np.asarray(made.Y)
    Y[SIZE : 2 * SIZE, 1] = 0  # a label that the second block lacks
    return X, Y, np.random.default_rng(0).integers(1, 4, 300).astype(float)


@pytest.fixture(scope="module")
def client():
    with two_workers(processes=True) as client:
        yield client


def forest(n_trees=10, kind=ExtraTreesClassifier):
    return BlockBagging(kind(n_trees, random_state=3), block_rows=SIZE)


def chunked(*arrays):
    return [da.from_array(part, chunks=(SIZE, *part.shape[1:])) for part in arrays]


@pytest.mark.usefixtures("client")
@pytest.mark.parametrize("model", MODELS)
def test_bits_of_a_fit_in_memory(data, model):
    X, Y, weight = data
    wanted = model(forest()).fit(X, Y, weight)
    lazy = chunked(X, Y, weight)
    found = model(forest()).fit(*lazy)
    np.testing.assert_array_equal(found.predict_proba(X), wanted.predict_proba(X))
    proba = found.predict_proba(lazy[0])
    assert isinstance(proba, da.Array)
    np.testing.assert_array_equal(proba.compute(), wanted.predict_proba(X))
    joints = found.predict_joint(lazy[0])
    assert len(joints) == 3
    np.testing.assert_array_equal(
        joints[1].compute().marginals(), wanted.predict_proba(X[SIZE : 2 * SIZE])
    )


@pytest.mark.usefixtures("client")
def test_unknown_chunk_sizes_single_precision_and_few_trees(data):
    X, Y = data[0].astype(np.float32), data[1]
    lazy = chunked(X, Y)
    kept = lazy[0][:, 0] > -1e9  # all rows, but dask cannot know that
    lazy = [part[kept] for part in lazy]
    assert np.isnan(lazy[0].chunks[0][0])
    model = LabelPowerset(forest(2, RandomForestClassifier))
    wanted = model.fit(X, Y).predict_proba(X)
    np.testing.assert_array_equal(model.fit(*lazy).predict_proba(X), wanted)
    assert len(model.classifier_.estimators_) == 3


def test_sparse_blocks_and_boosting(data, client):
    lightgbm = pytest.importorskip("lightgbm")
    X, Y = data[0] * (np.abs(data[0]) > 0.8), data[1]
    trees = lightgbm.LGBMClassifier(n_estimators=4, n_jobs=1, verbose=-1, random_state=1)
    model = BinaryRelevance(BlockBagging(trees, block_rows=SIZE))
    wanted = model.fit(sp.csr_matrix(X), sp.csr_matrix(Y)).predict_proba(X)
    blocks = cut((X, Y), SIZE, convert=sp.csr_matrix)
    assert sp.issparse(model.fit(on_cluster(blocks, client)).predict(X))
    np.testing.assert_array_equal(model.predict_proba(X), wanted)


@pytest.mark.usefixtures("client")
def test_errors_name_the_way_out(data):
    lazy = chunked(*data[:2])
    with pytest.raises(ValueError, match="has no predict_proba"):
        BinaryRelevance(BlockBagging(RidgeClassifier())).fit(*lazy)
    with pytest.raises(ValueError, match=r"give BlockBagging\(estimator\)"):
        BinaryRelevance(ExtraTreesClassifier()).fit(*lazy)
    with pytest.raises(TypeError, match="inside a model"):
        forest().fit(lazy[0], lazy[1][:, 0])


def kill_at_work(client, killed):
    """Kill the worker that first has a task of fitting in hand."""
    pids = client.run(os.getpid)
    for _ in range(1000):
        for worker, keys in client.processing().items():
            if any(str(key).startswith("fit_label_members") for key in keys):
                os.kill(pids[worker], signal.SIGKILL)
                killed.append(pids[worker])
                return
        time.sleep(0.01)


def test_a_worker_killed_in_the_middle_costs_its_blocks_only(data, client):
    X, Y, _ = data
    model = BinaryRelevance(forest(300))
    wanted = model.fit(X, Y).predict_proba(X)
    blocks, killed = on_cluster(cut((X, Y), SIZE), client), []
    killer = threading.Thread(target=kill_at_work, args=(client, killed))
    killer.start()
    found = model.fit(blocks).predict_proba(X)
    killer.join()
    assert killed
    assert killed[0] not in client.run(os.getpid).values()
    np.testing.assert_array_equal(found, wanted)
