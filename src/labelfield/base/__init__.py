"""What every classifier shares: one fit, the look of predictions, decisions from a joint."""

from labelfield.base.joint import JointClassifier, WeightedJointClassifier
from labelfield.base.multi_label import MultiLabelClassifier

__all__ = ["JointClassifier", "MultiLabelClassifier", "WeightedJointClassifier"]
