"""How the answers of a field of labels are computed: a table of engines with one contract."""

from labelfield._exceptions import IntractableError
from labelfield.joints._engines.contract import Beliefs, BestSets, Engine, Options
from labelfield.joints._engines.elimination import JunctionTree
from labelfield.joints._engines.enumeration import Enumeration
from labelfield.joints._field import Field

__all__ = ["ENGINES", "MAX_CELLS", "Beliefs", "BestSets", "Engine", "Options", "choose_engine"]

MAX_CELLS = 2.0**21  # table entries per row up to which answers are exact
ENGINES: dict[str, Engine] = {engine.name: engine for engine in (Enumeration(), JunctionTree())}


def choose_engine(infer: str, field: Field) -> Engine:
    """Return the engine called `infer`; "auto" takes the cheapest exact one that is affordable."""
    if infer != "auto" and infer not in ENGINES:
        raise ValueError(f"infer must be 'auto' or one of {sorted(ENGINES)}, got {infer!r}.")
    engines = list(ENGINES.values()) if infer == "auto" else [ENGINES[infer]]
    engine = min(engines, key=lambda engine: engine.cost(field))
    if engine.cost(field) > MAX_CELLS:
        raise IntractableError(
            f"{engine.name} of {field.graph.n_labels} labels would take {engine.cost(field):.1e} "
            f"table entries a row, the limit is {MAX_CELLS:.1e}."
        )
    return engine
