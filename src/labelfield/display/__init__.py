"""Pictures in scikit-learn's convention: computed by a class method, drawn by matplotlib.

`from_estimator` asks a fitted model about rows it was not fitted to, `from_predictions` takes what
any model answered. Both draw at once; `plot(ax=...)` draws the same numbers again elsewhere.
"""

from labelfield.display.automation import AutomationDisplay
from labelfield.display.label_graph import LabelGraphDisplay
from labelfield.display.pair_heatmap import PairHeatmapDisplay
from labelfield.display.precision_recall import PrecisionRecallDisplay
from labelfield.display.reliability import ReliabilityDisplay

__all__ = [
    "AutomationDisplay",
    "LabelGraphDisplay",
    "PairHeatmapDisplay",
    "PrecisionRecallDisplay",
    "ReliabilityDisplay",
]
