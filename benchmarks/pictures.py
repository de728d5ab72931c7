"""Pictures of measurements, written beside the benchmarks."""

from pathlib import Path

FOLDER = Path(__file__).parent / "pictures"


def draw_growth(curves):
    """Draw seconds against learners on logarithmic axes, with a line of slope one; return the file.

    Parameters
    ----------
    curves : dict of title to list of (learners, seconds)
    """
    from matplotlib.figure import Figure

    FOLDER.mkdir(exist_ok=True)
    figure = Figure(figsize=(5.5, 4), layout="constrained")
    axes = figure.subplots()
    for title, points in curves.items():
        learners, seconds = zip(*points)
        (drawn,) = axes.loglog(learners, seconds, "o-", label=title)
        line = [seconds[0] * n / learners[0] for n in learners]
        axes.loglog(learners, line, ":", color=drawn.get_color(), label="in proportion")
    axes.set_xlabel("learners: gate outputs and active labels of all components")
    axes.set_ylabel("CPU seconds of a round of EM")
    axes.legend()
    path = FOLDER / "mixture-growth.svg"
    figure.savefig(path)
    return path
