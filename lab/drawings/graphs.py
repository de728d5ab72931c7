"""Label graphs: along a path of strengths, of single rows, and of different learners."""

from lab.building import build_row
from lab.drawings.drawing import Drawing
from lab.sources import Stored
from lab.table import Model
from labelfield.label_graph import associate_labels

__all__ = ["GRAPHS"]

STRENGTHS = (0.01, 0.03, 0.1, 0.2)
SCENE = Stored("scene")


def _fit_lasso(data, strength: float):
    """Return a fitted conditional graphical lasso behind its scaling."""
    n = len(data.Y)
    parameters = {"objective": "exact", "alpha": n * 1.5e-4, "edge_alpha": n * strength / 2}
    row = build_row(Model("cgl", parameters), scale="standard-root")
    return row.fit(data.X, data.Y)


def _show(axis, graph, title: str) -> None:
    graph.plot(ax=axis, threshold=0.0)
    axis.set_title(f"{title}: {len(graph.pairs)} links", fontsize=9)


def draw_path(figure) -> list[str]:
    """Draw the average graph at growing strengths of the penalty of links."""
    data = SCENE.load("train")
    figure.set_size_inches(8.0, 7.0)
    for axis, strength in zip(figure.subplots(2, 2).ravel(), STRENGTHS):
        model = _fit_lasso(data, strength).named_steps["model"]
        _show(axis, _named(model.label_graph_, data), f"strength {strength:g}")
    return []


def draw_rows(figure) -> list[str]:
    """Draw the graphs of three test rows: couplings depend on the features."""
    data, test = SCENE.load("train"), SCENE.load("test")
    row = _fit_lasso(data, STRENGTHS[0])
    scaled, model = row[:-1].transform(test.X), row.named_steps["model"]
    figure.set_size_inches(9.0, 3.4)
    chosen = _first_of_each_size(test.Y)
    for axis, i in zip(figure.subplots(1, len(chosen)), chosen):
        names = [name for name, one in zip(test.label_names, test.Y[i]) if one]
        _show(axis, _named(model.label_graph(scaled[i]), data), " and ".join(names))
    return []


def _first_of_each_size(Y) -> list[int]:
    sizes = Y.sum(axis=1)
    found = [int((sizes == size).argmax()) for size in (1, 2) if (sizes == size).any()]
    other = (Y[found[0]] != Y).any(axis=1) & (sizes == 1)
    return [*found, int(other.argmax())]


def draw_learners(figure) -> list[str]:
    """Draw what counts, a field and a machine say about the same labels."""
    data = SCENE.load("train")
    machine = build_row(Model("cgm", {"alpha": 3e-4}), scale="unit").fit(data.X, data.Y)
    field = build_row(Model("corrlog"), scale="standard").fit(data.X, data.Y)
    graphs = {
        "counts (phi)": associate_labels(data.Y),
        "CorrLog": field.named_steps["model"].label_graph_,
        "clique generating machine": machine.named_steps["model"].label_graph_,
    }
    figure.set_size_inches(10.0, 3.6)
    for axis, (title, graph) in zip(figure.subplots(1, 3), graphs.items()):
        _show(axis, _named(graph, data), title)
    return []


def _named(graph, data):
    """Return the graph with the names that labels have in the data."""
    return type(graph)(data.label_names, graph.pairs, graph.weights)


GRAPHS = (
    Drawing(
        "qli2017-fig4.2",
        "Label graphs of the conditional graphical lasso along its path",
        "Scene stands in for PASCAL07, whose features are not public; exact likelihood, mean "
        "couplings over the training rows.",
        draw_path,
        "scene",
    ),
    Drawing(
        "qli2017-fig4.3",
        "Label graphs of single rows",
        "Three test rows of scene stand in for images of PASCAL07; the titles are their labels.",
        draw_rows,
        "scene",
    ),
    Drawing(
        "tan2015-fig1",
        "Label graphs of three learners",
        "Scene stands in for PASCAL07; blue links attract, red ones exclude.",
        draw_learners,
        "scene",
    ),
)
