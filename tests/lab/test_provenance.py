"""What a cell's record says about the code behind it."""

import subprocess
from dataclasses import replace

from lab.provenance import code_commit, code_of, made_now
from lab.sampled import SampledSplit

from lab import Model, Stored, cells_of, provenance


def modules_behind(monkeypatch, cell):
    """Return the modules whose text the hash of a cell has seen."""
    seen = []
    meaning_of = provenance._meaning_of
    with monkeypatch.context() as patched:
        patched.setattr(
            provenance, "_meaning_of", lambda name: seen.append(name) or meaning_of(name)
        )
        provenance._digest_of.cache_clear()
        code_of(cell)
    provenance._digest_of.cache_clear()
    return set(seen)


def test_the_hash_sees_model_solver_and_kernels_but_no_other_model(table, monkeypatch):
    br = next(cell for cell in cells_of(table) if cell.model.id == "br")
    seen = modules_behind(monkeypatch, br)
    assert {
        "labelfield.models.relevance.binary_relevance",
        "labelfield.optim.column_lbfgs",
        "labelfield.kernels.losses.logistic",
        "lab.protocol",
        "lab.tasks.classify",
    } <= seen
    assert not any("chains" in name or "powerset" in name for name in seen)


def test_models_named_by_their_public_path_are_followed_too(table, monkeypatch):
    cell = replace(cells_of(table)[0], model=Model("labelfield.LabelSetClassifier"))
    assert "labelfield.auto.layers" in modules_behind(monkeypatch, cell)


def test_models_differ(table):
    by_model = {cell.model.id: code_of(cell) for cell in cells_of(table)}
    assert by_model["br"] != by_model["lp"]


def test_comments_docstrings_and_imports_do_not_count(tmp_path, monkeypatch):
    texts = {
        "plain": "def f(x):\n    return x + 1\n",
        "spoken": '"""About it."""\n\n\ndef f(x):\n    """Add one."""\n    return x + 1  # one\n',
        "moved": "from labelfield.elsewhere import g\n\n\ndef f(x):\n    return x + 1\n",
        "other": "def f(x):\n    return x + 2\n",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.setattr(provenance, "_source_of", lambda name: tmp_path / f"{name}.py")
    meaning_of = provenance._meaning_of.__wrapped__
    monkeypatch.setattr(provenance, "_tree_of", provenance._tree_of.__wrapped__)
    assert meaning_of("plain") == meaning_of("spoken") == meaning_of("moved") != meaning_of("other")


def test_a_record_names_version_day_and_kind_of_machine(table):
    made = made_now(cells_of(table)[0])
    assert set(made) == {"code", "version", "date", "machine"}
    assert len(made["date"]) == 10
    assert "/" not in made["machine"]


def test_the_hash_sees_the_comparators_of_the_lab(table, monkeypatch):
    cell = replace(cells_of(table)[0], model=Model("lab.comparators.plst.PrincipalLabelSpace"))
    assert "lab.comparators.plst" in modules_behind(monkeypatch, cell)


def test_of_the_restorers_those_count_that_a_cell_is_made_of(table, monkeypatch):
    cell = cells_of(table)[0]
    seen = modules_behind(monkeypatch, cell)
    assert not any(name.startswith("lab.restorers") for name in seen)
    assert "labelfield.restore.field" not in seen
    stages = {"estimator": Model("knni"), "corrector": Model("rmf")}
    both = replace(cell, task="restore", model=Model("two-stage", stages))
    seen = modules_behind(monkeypatch, both)
    assert {"lab.restorers.knn", "lab.restorers.two_stage", "labelfield.restore.field"} <= seen
    assert "lab.restorers.downstream" in seen
    assert "lab.restorers.forest" not in seen


def test_mending_counts_for_the_data_sets_that_it_mends(table, monkeypatch):
    cell = cells_of(table)[0]
    faulty = replace(cell, source=Stored("rcv1subset1"))
    assert provenance.MENDING not in modules_behind(monkeypatch, cell)
    assert provenance.MENDING in modules_behind(monkeypatch, faulty)


def test_a_protocol_of_its_own_module_counts(table, monkeypatch):
    cell = cells_of(table)[0]
    sampled = replace(cell, protocol=SampledSplit(n_rows=50))
    assert "lab.sampled" in modules_behind(monkeypatch, sampled)
    assert "lab.sampled" not in modules_behind(monkeypatch, cell)


def test_the_commit_is_the_last_one_that_changed_code(tmp_path):
    def git(*words):
        who = ["-c", "user.name=a", "-c", "user.email=a@b.example"]
        command = ["git", "-C", str(tmp_path), *who, *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def commit(path):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("text")
        git("add", ".")
        git("commit", "-q", "-m", "more")
        return git("log", "-1", "--format=%h")

    assert code_commit(tmp_path) == ""  # no history here
    git("init", "-q")
    code_commit.cache_clear()
    changed = commit("src/model.py")
    commit("docs/page.md")
    commit("lab/results/scene.jsonl")
    assert code_commit(tmp_path) == changed
