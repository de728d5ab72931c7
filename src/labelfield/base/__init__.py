"""What every classifier shares: one fit, the look of predictions, decisions from a joint."""

from labelfield.base.joint import JointClassifier
from labelfield.base.multi_label import MultiLabelClassifier
from labelfield.base.weighted import WeightedJointClassifier

__all__ = ["JointClassifier", "MultiLabelClassifier", "WeightedJointClassifier"]
