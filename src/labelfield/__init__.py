"""labelfield: joint distributions over label sets, in scikit-learn's conventions."""

__version__ = "0.1.0.dev0"
