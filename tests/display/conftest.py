import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt

mpl.use("agg")


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    plt.close("all")
