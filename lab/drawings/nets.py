"""A drawn mixed net: one row of it before and after restoring, and accuracies at five noises."""

import numpy as np

from lab.drawings.drawing import Drawing
from lab.restorers import DownstreamAccuracy
from labelfield.restore import RandomMixedField, corrupt_table, make_mixed_net

__all__ = ["NETS"]

NOISES = (0.1, 0.2, 0.3, 0.4, 0.5)
SHOWN_NOISE = 0.3
N_NETS = 10
N_ROWS = 1500  # two thirds of them for training
WEAK_EDGES = {"coupling": 1.0, "shift": 2.0}  # with which the classes can be told apart
COLOURS = {"continuous": "#b2182b", "categorical": "0.1", "mixed": "0.75"}


def _drawn(seed: int, **options):
    """Return clean training rows and test rows of a net."""
    table = make_mixed_net(N_ROWS, random_state=seed, **options)
    n_train = 2 * N_ROWS // 3
    return table.take(slice(0, n_train)), table.take(slice(n_train, N_ROWS))


def _restored(field: RandomMixedField, dirty, noise: float):
    return field.set_params(noise_scale=noise, flip_rate=noise).transform(dirty)


def draw_net(figure) -> list[str]:
    """Draw the nodes of a test row: as it is, with noise, and restored."""
    train, test = _drawn(0, coupling=4.0)
    scale = train.continuous.std(axis=0)
    dirty = corrupt_table(test, noise=SHOWN_NOISE, scale=scale, random_state=0)
    restored = _restored(RandomMixedField(random_state=0).fit(train), dirty, SHOWN_NOISE)
    gained = [np.sum(one.categorical == test.categorical, axis=1) for one in (dirty, restored)]
    row = int(np.argmax(gained[1] - gained[0]))
    figure.set_size_inches(11.0, 3.8)
    views = {"drawn": test, f"with noise {SHOWN_NOISE:g}": dirty, "restored": restored}
    low, high = train.continuous.min(axis=0), train.continuous.max(axis=0)
    for axis, (title, table) in zip(figure.subplots(1, 3), views.items()):
        shades = np.clip((table.continuous[row] - low) / (high - low), 0.0, 1.0)
        wrong = table.categorical[row] != test.categorical[row]
        _draw_nodes(axis, train.truth["edges"], shades, table.categorical[row], wrong)
        error = np.sqrt(np.mean(((table.continuous[row] - test.continuous[row]) / scale) ** 2))
        axis.set_title(f"{title}: RMSE {error:.2f}, {wrong.sum()} wrong categories", fontsize=9)
    return []


def _draw_nodes(axis, edges, shades, states, wrong) -> None:
    """Draw numbers on an outer ring by colour, categories on an inner one by grey."""
    places = {"numbers": _ring(len(shades), 1.0), "states": _ring(len(states), 0.55)}
    ends = {
        "continuous": ("numbers", "numbers"),
        "mixed": ("numbers", "states"),
        "categorical": ("states", "states"),
    }
    for kind, pairs in edges.items():
        for one, other in pairs:
            first, second = places[ends[kind][0]][one], places[ends[kind][1]][other]
            axis.plot(*zip(first, second), color=COLOURS[kind], linewidth=1.0, zorder=1)
    axis.scatter(*places["numbers"].T, c=shades, cmap="hsv", vmin=0, vmax=1, s=90, zorder=2)
    axis.scatter(
        *places["states"].T,
        c=states,
        cmap="gray",
        vmin=-1,
        vmax=3,
        s=90,
        edgecolors="0.2",
        zorder=2,
    )
    axis.scatter(
        *places["states"][wrong].T, s=230, facecolors="none", edgecolors="0.1", linestyle=":"
    )
    axis.set_axis_off()
    axis.set_aspect("equal")


def _ring(count: int, radius: float) -> np.ndarray:
    angles = 2.0 * np.pi * np.arange(count) / count
    return radius * np.column_stack([np.cos(angles), np.sin(angles)])


def draw_accuracies(figure) -> list[str]:
    """Draw accuracies of noisy and of restored rows, means and deviations over nets."""
    found: dict[tuple, list] = {}
    for seed in range(N_NETS):
        train, test = _drawn(seed, **WEAK_EDGES)
        field, accuracy = RandomMixedField(random_state=0).fit(train), DownstreamAccuracy(train)
        for noise in NOISES:
            scale = train.continuous.std(axis=0)
            dirty = corrupt_table(test, noise=noise, scale=scale, random_state=seed)
            for name, table in {"noisy": dirty, "restored": _restored(field, dirty, noise)}.items():
                for measure, value in accuracy(table).items():
                    found.setdefault((measure, name, noise), []).append(value)
    titles = {"knn_accuracy": "3 nearest neighbours", "svm_accuracy": "linear SVM"}
    axes = figure.subplots(1, 2, sharey=True)
    for axis, (measure, title) in zip(axes, titles.items()):
        for side, (name, colour) in enumerate({"noisy": "0.35", "restored": "0.75"}.items()):
            values = np.array([found[measure, name, noise] for noise in NOISES])
            places = np.arange(len(NOISES)) + 0.38 * side - 0.19
            bars = {"yerr": values.std(axis=1), "label": name, "color": colour}
            axis.bar(places, values.mean(axis=1), 0.36, **bars)
        axis.set(title=title, xlabel="noise", ylim=(0.4, 1.0))
        axis.set_xticks(range(len(NOISES)), [f"{noise:g}" for noise in NOISES])
    axes[0].set_ylabel("accuracy")
    axes[0].legend(frameon=False)
    return []


NO_DENSITY = (
    "The printed parameters define no distribution (the precision matrix is not positive definite)"
)
NETS = (
    Drawing(
        "qli2017-fig2.3",
        "A row of a mixed net, with noise and restored",
        f"{NO_DENSITY}; a valid net of the same kind stands in, and the test row whose categories "
        "are mended best. Numbers are the outer ring, categories the inner one, wrong ones dotted.",
        draw_net,
    ),
    Drawing(
        "qli2017-fig2.4",
        "Accuracy on noisy and restored rows of a mixed net",
        f"{NO_DENSITY}; ten valid nets of the same kind stand in, with weaker edges and classes "
        "further apart, since the printed ones can hardly be told apart.",
        draw_accuracies,
    ),
)
