"""Pictures of measurements, written beside the benchmarks."""

from pathlib import Path

FOLDER = Path(__file__).parent / "pictures"


def draw_growth(curves, name, across, up):
    """Draw costs against sizes on logarithmic axes, with lines of slope one; return the file.

    Parameters
    ----------
    curves : dict of title to list of (size, cost)
    name, across, up : str
        Of the file, and of the axes.
    """
    from matplotlib.figure import Figure

    FOLDER.mkdir(exist_ok=True)
    figure = Figure(figsize=(5.5, 4), layout="constrained")
    axes = figure.subplots()
    for title, points in curves.items():
        sizes, costs = zip(*points)
        (drawn,) = axes.loglog(sizes, costs, "o-", label=title)
        line = [costs[0] * n / sizes[0] for n in sizes]
        axes.loglog(sizes, line, ":", color=drawn.get_color(), label="in proportion")
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.legend()
    path = FOLDER / f"{name}.svg"
    figure.savefig(path)
    return path
