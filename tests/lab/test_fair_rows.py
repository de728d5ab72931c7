"""Whole-set comparisons hold the rows that make them fair."""

import pytest
from lab.published import TABLES
from lab.published.fair_rows import LEAST_SQUARES

EXACT_MATCH = ("subset_accuracy", "zero_one_loss")
# Components of one mixture, told apart from each other only; risks of drawn data.
ONE_MODEL = ("cli2019-fig3.7", "qli2017-fig3.1")
SHOWN = [
    table.id
    for table in TABLES.values()
    if set(EXACT_MATCH) & set(table.metrics) and table.id not in ONE_MODEL
]


def _models(id):
    return [method.model for method in TABLES[id].methods if method.model is not None]


@pytest.mark.parametrize("id", SHOWN)
def test_power_sets_stand_beside_other_joint_models(id):
    sets = [model for model in _models(id) if model.id == "lp"]
    kinds = {getattr(model.parameters.get("estimator"), "id", "logistic") for model in sets}
    assert "logistic" in kinds
    assert kinds & {"sklearn.svm.SVC", LEAST_SQUARES.id}


@pytest.mark.parametrize("id", SHOWN)
def test_relevance_stands_under_the_rule_for_empty_sets(id):
    rules = [model.parameters.get("decoder") for model in _models(id) if model.id == "br"]
    assert "subset" in rules


@pytest.mark.parametrize("id", ["cli2019-3.2", "cli2019-4.3", "cli2019-E.3", "cli2019-fig4.6"])
def test_no_strength_is_left_at_a_number(id):
    for method in TABLES[id].methods:
        if method.model is None or not method.model.ids() & {
            "br",
            "cbm",
            "crf",
            "2br",
            "dbr",
            "pcc",
            "rakel",
        }:
            continue
        inner = method.model.parameters.get("estimator", method.model)
        chosen = inner.parameters.get("alpha") == "auto"
        searched = method.search is not None and any("alpha" in name for name in method.search.grid)
        boosted = inner.id == "lightgbm.LGBMClassifier"
        assert chosen or searched or boosted, method.title


STRENGTHS = ("alpha", "edge_alpha", "clique_alpha", "C")
SEARCHED = {
    (table.id, method.title): method
    for table in TABLES.values()
    for method in table.methods
    if method.search is not None
}


@pytest.mark.parametrize(("table", "title"), SEARCHED)
def test_strengths_are_chosen_from_at_least_three_sizes(table, title):
    search = SEARCHED[table, title].search
    for name, values in search.grid.items():
        if name.rpartition("__")[2] in STRENGTHS:
            assert len(values) >= 3
            assert list(values) in (sorted(values), sorted(values, reverse=True))


@pytest.mark.parametrize("id", SHOWN)
def test_logistic_regressions_of_a_table_share_a_range(id):
    grids = {
        method.search.grid[name]
        for method in TABLES[id].methods
        if method.search is not None and method.model.id in ("br", "lp", "2br", "dbr", "pcc", "cc")
        for name in method.search.grid
        if name in ("alpha", "estimator__alpha")
    }
    assert len({(min(grid), max(grid)) for grid in grids}) <= 1
    finest = max(grids, key=len, default=())
    assert all(set(grid) <= set(finest) for grid in grids)  # coarser where a fit takes long
