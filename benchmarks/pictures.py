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


def draw_exponents(exponents, name):
    """Draw how steeply costs grew and grow, a line each; return the file.

    Parameters
    ----------
    exponents : dict of title to (before, now)
        Before is None where no exponent was reported.
    name : str
        Of the file.
    """
    from matplotlib.figure import Figure

    FOLDER.mkdir(exist_ok=True)
    figure = Figure(figsize=(7, 0.4 * len(exponents) + 1.2), layout="constrained")
    axes = figure.subplots()
    places = range(len(exponents) - 1, -1, -1)
    for place, (before, now) in zip(places, exponents.values()):
        if before is not None:
            axes.plot([before, now], [place, place], color="0.8", zorder=0)
            axes.plot(before, place, "o", color="0.4", markerfacecolor="white")
        axes.plot(now, place, "o", color="C0")
    axes.plot([], [], "o", color="0.4", markerfacecolor="white", label="before, as reported")
    axes.plot([], [], "o", color="C0", label="now, measured")
    axes.set_yticks(places, list(exponents))
    axes.axvline(1.0, linestyle=":", color="0.6")
    axes.set_xlabel("exponent of the size (dotted: in proportion)")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False)
    path = FOLDER / f"{name}.svg"
    figure.savefig(path)
    return path
