"""Label graphs: along a path of strengths, of single rows, and of different learners."""

from itertools import compress

from lab.building import build_row
from lab.drawings.drawing import Drawing
from lab.sources import Stored
from lab.table import Model
from labelfield.label_graph import LabelGraph, associate_labels
from labelfield.label_graph.layout import similarity_order

__all__ = ["GRAPHS"]

STRENGTHS = (0.01, 0.03, 0.1, 0.2)
OF_ROWS = (STRENGTHS[0], STRENGTHS[1])  # on scene and corel5k
SCENE = Stored("scene")
COREL = Stored("corel5k", top_labels=20)
OBJECTIVES = {SCENE: "exact", COREL: "pseudo"}  # the sums over all sets of 20 labels take long
STAND_INS = (
    "Scene, by the exact likelihood, and the 20 most frequent labels of Corel5K, by the "
    "pseudo-likelihood, stand in for PASCAL07, whose features are not public."
)
COLORS = "Solid blue links attract, dashed red ones exclude; a graph's strongest is the thickest."


def _fit_lasso(source: Stored, strength: float):
    """Return a fitted conditional graphical lasso behind its scaling."""
    data = source.load("train")
    n = len(data.Y)
    parameters = {"alpha": n * 1.5e-4, "edge_alpha": n * strength / 2}
    model = Model("cgl", {"objective": OBJECTIVES[source], **parameters})
    return build_row(model, scale="standard-root").fit(data.X, data.Y)


def _show(axes, graphs: dict, names) -> None:
    """Draw graphs by their titles, the labels of all in the order that suits the first."""
    named = [LabelGraph(names, graph.pairs, graph.weights) for graph in graphs.values()]
    order = [names[label] for label in similarity_order(named[0].matrix())]
    for axis, title, graph in zip(axes, graphs, named):
        graph.plot(ax=axis, threshold=0.0, order=order)
        axis.set_title(f"{title}: {len(graph.pairs)} links", fontsize=9)


def draw_path(figure) -> list[str]:
    """Draw the average graph at growing strengths of the penalty of links."""
    figure.set_size_inches(9.0, 15.0)
    for axes, source in zip(figure.subplots(len(STRENGTHS), 2).T, OBJECTIVES):
        models = [_fit_lasso(source, strength).named_steps["model"] for strength in STRENGTHS]
        titles = [f"{source.name}, strength {strength:g}" for strength in STRENGTHS]
        graphs = dict(zip(titles, (model.label_graph_ for model in models)))
        _show(axes, graphs, source.load().label_names)
    return []


def draw_rows(figure) -> list[str]:
    """Draw the graphs of three test rows: couplings depend on the features."""
    figure.set_size_inches(11.0, 8.0)
    for axes, source, strength in zip(figure.subplots(2, 3), OBJECTIVES, OF_ROWS):
        row, test = _fit_lasso(source, strength), source.load("test")
        scaled, model = row[:-1].transform(test.X), row.named_steps["model"]
        graphs = {
            " and ".join(compress(test.label_names, test.Y[i])): model.label_graph(scaled[i])
            for i in _first_of_each_size(test.Y)
        }
        _show(axes, graphs, test.label_names)
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
    _show(figure.subplots(1, 3), graphs, data.label_names)
    return []


GRAPHS = (
    Drawing(
        "qli2017-fig4.2",
        "Label graphs of the conditional graphical lasso along its path",
        f"{STAND_INS} Mean couplings over the training rows. {COLORS}",
        draw_path,
        "scene corel5k",
    ),
    Drawing(
        "qli2017-fig4.3",
        "Label graphs of single rows",
        f"{STAND_INS} Three test rows of each; the titles are their labels. {COLORS}",
        draw_rows,
        "scene corel5k",
    ),
    Drawing(
        "tan2015-fig1",
        "Label graphs of three learners",
        f"Scene stands in for PASCAL07. {COLORS}",
        draw_learners,
        "scene",
    ),
)
