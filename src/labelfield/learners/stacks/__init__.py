"""Stacks: what the log-odds of several learners say together."""

from labelfield.learners.stacks.log_odds_stack import LogOddsStack
from labelfield.learners.stacks.set_logit import SetLogit
from labelfield.learners.stacks.set_stack import SetStack

__all__ = ["LogOddsStack", "SetLogit", "SetStack"]
