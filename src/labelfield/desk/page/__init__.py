"""The page on which people settle cases."""

from labelfield.desk.page.app import make_desk
from labelfield.desk.page.desk import Desk

__all__ = ["Desk", "make_desk"]
