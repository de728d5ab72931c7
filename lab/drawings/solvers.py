"""A solver looked at: the objective of the clique generating machine after each pass."""

from lab.building import build
from lab.drawings.drawing import Drawing
from lab.sources import Generated
from lab.table import Model

__all__ = ["SOLVERS"]

STRENGTHS = (1e-2, 1e-3)


def draw_objective(figure) -> list[str]:
    """Draw the training objective against passes over the rows."""
    data = Generated("make_star_cliques").draw(500, seed=0)
    axis = figure.subplots()
    for strength in STRENGTHS:
        parameters = {"alpha": strength, "cliques_per_round": 2, "tol": 0.05}
        machine = build(Model("cgm", parameters), seed=0).fit(data.X, data.Y)
        objective = machine.trace_.objective
        axis.plot(range(len(objective)), objective, label=f"alpha {strength:g}", linewidth=1.2)
    axis.set(xlabel="steps", ylabel="training objective")
    axis.grid(alpha=0.3)
    axis.legend(fontsize=8)
    return []


SOLVERS = (
    Drawing(
        "tan2015-fig2",
        "Training objective of the clique generating machine",
        "Drawn labels with four true edges, 500 rows; the weights and seeds are ours.",
        draw_objective,
    ),
)
