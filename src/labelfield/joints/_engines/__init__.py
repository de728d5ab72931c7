"""How the answers of a field of labels are computed: a table of engines with one contract."""

from labelfield._exceptions import IntractableError
from labelfield.joints._engines.approximate import Gibbs, MaxProduct, MeanField, SumProduct
from labelfield.joints._engines.contract import Beliefs, BestSets, Engine, Options
from labelfield.joints._engines.exact import Enumeration, JunctionTree
from labelfield.joints._parts.field import Field
from labelfield.joints.factor_graph import MAX_WIDTH

__all__ = ["ENGINES", "MAX_CELLS", "Beliefs", "BestSets", "Engine", "Options", "choose_engine"]

MAX_CELLS = 2.0**21  # table entries per row up to which answers are exact
ENGINES: dict[str, Engine] = {
    engine.name: engine
    for engine in (
        Enumeration(),
        JunctionTree(),
        SumProduct(),
        MaxProduct(),
        MeanField(),
        Gibbs(),
    )
}


def choose_engine(name: str, field: Field) -> Engine:
    """Return the engine of that name; "auto" is the cheapest exact one, or else sum-product.

    Fields with rules have one engine only, the junction tree.
    """
    if field.graph.rules is not None:
        return _engine_of_rules(field)
    if name == "auto":
        exact = [engine for engine in ENGINES.values() if engine.exact]
        cheapest = min(exact, key=lambda engine: engine.cost(field))
        return cheapest if cheapest.cost(field) <= MAX_CELLS else ENGINES["sum_product"]
    if name not in ENGINES:
        raise ValueError(f"inference must be 'auto' or one of {sorted(ENGINES)}, got {name!r}.")
    engine = ENGINES[name]
    if engine.exact and engine.cost(field) > MAX_CELLS:
        raise IntractableError(
            f"{name} of {field.graph.n_labels} labels would take {engine.cost(field):.1e} table "
            f"entries a row, the limit is {MAX_CELLS:.1e}. Use inference='auto' or 'sum_product'."
        )
    return engine


def _engine_of_rules(field: Field) -> Engine:
    engine, graph = ENGINES["junction_tree"], field.graph
    if engine.cost(field) > MAX_CELLS:
        width = f"width {graph.treewidth}" if graph.treewidth else f"a width beyond {MAX_WIDTH}"
        raise IntractableError(
            f"The rules tie {graph.n_labels} labels together in a junction tree of {width}, "
            f"{engine.cost(field):.1e} table entries a row; the limit is {MAX_CELLS:.1e}. Leave "
            "out rules over many labels, or list the sets that may occur: "
            "joint.restrict(support).given_rules(rules)."
        )
    return engine
