"""Joint distributions over label sets, one per row of a batch."""

from labelfield.joints.asking import Answered, Questions, ask_first, given_answers
from labelfield.joints.base import Joint
from labelfield.joints.candidate import CandidateJoint
from labelfield.joints.chain import ChainJoint
from labelfield.joints.explanation import (
    LabelReason,
    PartShare,
    RivalSet,
    SetExplanation,
    explain_set,
)
from labelfield.joints.independent import IndependentJoint
from labelfield.joints.ising import IsingJoint
from labelfield.joints.mixture import MixtureJoint
from labelfield.joints.pooled import PooledJoint
from labelfield.joints.rbm import RBMJoint
from labelfield.joints.support import SupportJoint
from labelfield.joints.tree import tree_joint

__all__ = [
    "Answered",
    "CandidateJoint",
    "ChainJoint",
    "IndependentJoint",
    "IsingJoint",
    "Joint",
    "LabelReason",
    "MixtureJoint",
    "PartShare",
    "PooledJoint",
    "Questions",
    "RBMJoint",
    "RivalSet",
    "SetExplanation",
    "SupportJoint",
    "ask_first",
    "explain_set",
    "given_answers",
    "tree_joint",
]
