"""From the lines of the arena to what there is to show: means, calibration, ranks, gaps."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from lab.arena.contest import key_of
from lab.arena.decisions import DECODERS
from lab.arena.rows import OURS, make_rows
from lab.measures import MEASURES
from lab.pages.summary import rank_rows

__all__ = ["SHOWN", "WAYS", "calibration_errors", "standings"]

FIGURES = (*DECODERS, "log_likelihood")
CALIBRATION = ("expected_calibration_error", "chance_calibration_error")
SHOWN = (*FIGURES, *CALIBRATION, "cpu_seconds")
OTHER_GRID = "settings chosen from another grid than today's"
WAYS = {
    "all_models": "All models, over the sets that every one of them finished",
    "all_sets": "All sets, with the models that finished every one of them",
    "all_tried": "All sets, with the models tried on every one of them; the last place where a "
    "model did not finish",
}


def calibration_errors(parts: Sequence[dict[str, list]]) -> tuple[float, float]:
    """Return the calibration error of folds taken together, and what chance alone would show.

    A perfectly calibrated model is right with exactly the probability that it states. With finitely
    many rows its calibration error is not zero either: the gap of each bin is then nearly normal
    with the variance sum c (1 - c), so that its mean size is sqrt(2 / pi) times the deviation.

    Parameters
    ----------
    parts : sequence of dict
        Of each fold, per bin: "rows", sums of "confidence" and of "right" sets, and "variance".

    Examples
    --------
    >>> from lab.arena.standings import calibration_errors
    >>> part = {"rows": [0, 4], "confidence": [0, 3.2], "right": [0, 2], "variance": [0, 0.64]}
    >>> [round(value, 3) for value in calibration_errors([part])]
    [0.3, 0.16]
    """
    total = {name: np.sum([part[name] for part in parts], axis=0) for name in parts[0]}
    n_rows = total["rows"].sum()
    error = np.abs(total["confidence"] - total["right"]).sum() / n_rows
    by_chance = np.sqrt(2.0 / np.pi * total["variance"]).sum() / n_rows
    return float(error), float(by_chance)


def standings(records: Iterable[dict[str, Any]], *, seed: int | None = 0) -> dict[str, Any]:
    """Return everything there is to show about stored lines, as plain data.

    Parameters
    ----------
    records : iterable of dict
        Lines; of several with one key the last counts.
    seed : int or None
        Only lines of this seed; None takes the folds of all seeds together.

    Returns
    -------
    dict
        "sets": per data set and protocol its "title", sizes and "models"; a model has "title",
        "folds" (finished, all), "figures" (per measure "mean" and "deviation"; {} unless all folds
        are finished) and "gaps" (reasons). "seeds": per data set and model with the folds of more
        than one seed its "means", by seed and measure. "ranks": per measure three rankings, of
        "all_models" over the sets that every model finished, over "all_sets" of the models that
        finished all, and over "all_tried" of the models that were tried on all sets, which share
        the last place on a set that they did not finish; None where it would be the same or there
        are fewer than two sets or models.
    """
    latest = list({key_of(record): record for record in records}.values())
    chosen = [record for record in latest if seed is None or record["seed"] == seed]
    sets = [_summarize_set(models) for models in _contests(chosen)]
    return {"seed": seed, "sets": sets, "ranks": _ranks(sets), "seeds": _over_seeds(latest)}


def _contests(records: Iterable[dict[str, Any]]) -> list[dict[str, list]]:
    """Return the lines of every data set, by model."""
    contests: dict[tuple, dict[str, list]] = {}
    for record in records:
        contest = contests.setdefault((record["set"], record["protocol"], record["digest"]), {})
        contest.setdefault(_title(record), []).append(record)
    return list(contests.values())


def _over_seeds(records: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the means of models that finished the folds of several seeds, seed by seed."""
    found = []
    for contest in _contests(records):
        for title, lines in contest.items():
            seeds = sorted({record["seed"] for record in lines})
            parts = {
                seed: _summarize_set({title: [one for one in lines if one["seed"] == seed]})
                for seed in seeds
            }
            means = {
                seed: {name: values["mean"] for name, values in model["figures"].items()}
                for seed, part in parts.items()
                for model in part["models"]
                if model["figures"]
            }
            if len(means) > 1:
                first = next(iter(parts.values()))
                found.append({"title": first["title"], "model": title, "means": means})
    return found


def _title(record: dict[str, Any]) -> str:
    if record["model"] == OURS:
        return make_rows(record["budget"])[OURS].title
    return TITLES.get(record["model"], record["model"])


ROWS = make_rows()
TITLES = {id: row.title for id, row in ROWS.items()}


def _summarize_set(models: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    first = next(iter(models.values()))[0]
    n_seeds = len({record["seed"] for records in models.values() for record in records})
    return {
        "title": f"{first['set']}, {_protocol_in_words(first['protocol'])}",
        "rows": sum(first["rows"]),
        "features": first["features"],
        "labels": first["labels"],
        "models": [
            _summarize_model(title, records, n_seeds * _n_folds(first["protocol"]))
            for title, records in models.items()
        ],
    }


def _n_folds(protocol: str) -> int:
    cut = protocol.split(",")[0]
    return int(cut.split()[0]) if cut.endswith("folds") else 1


def _protocol_in_words(protocol: str) -> str:
    cut, *rows = protocol.split(", ")
    return ", ".join([cut if cut.endswith("folds") else f"{cut} split", *rows])


def _summarize_model(title: str, records: list[dict[str, Any]], n_folds: int) -> dict[str, Any]:
    finished = [record for record in records if "figures" in record]
    gaps = {
        record.get("absent") or record.get("unfinished") or record.get("error"): None
        for record in records
        if "figures" not in record
    }
    if any(map(_other_grid, finished)):
        gaps[OTHER_GRID] = None
    return {
        "title": title,
        "folds": [len(finished), n_folds],
        "figures": _figures(finished) if len(finished) == n_folds else {},
        "gaps": list(gaps),
    }


def _other_grid(record: dict[str, Any]) -> bool:
    """Return whether a line was chosen among another number of settings than today's row."""
    row = ROWS.get(record["model"])
    return row is not None and record.get("tried") != row.n_tried


def _figures(records: list[dict[str, Any]]) -> dict[str, dict[str, float | None]]:
    values = {name: [record["figures"][name] for record in records] for name in FIGURES}
    values["cpu_seconds"] = [sum(record["seconds"].values()) for record in records]
    errors = calibration_errors([record["calibration"] for record in records])
    values |= {name: [value] for name, value in zip(CALIBRATION, errors)}
    return {
        name: {
            "mean": float(np.mean(values[name])),
            "deviation": float(np.std(values[name], ddof=1)) if len(values[name]) > 1 else None,
        }
        for name in SHOWN
    }


def _ranks(sets: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    ranks = {}
    there = [{model["title"] for model in one["models"]} for one in sets]
    tried = sorted(set.intersection(*there)) if there else []
    for measure in SHOWN:
        direction = MEASURES[measure].greater_is_better
        if direction is None:
            continue
        means = [
            {
                model["title"]: model["figures"][measure]["mean"]
                for model in one["models"]
                if model["figures"]
            }
            for one in sets
        ]
        titles = list(dict.fromkeys(title for found in means for title in found))
        everywhere = [title for title in titles if all(title in found for found in means)]
        full = [found for found in means if len(found) == len(titles)]
        worst = -np.inf if direction else np.inf
        filled = [{title: found.get(title, worst) for title in tried} for found in means]
        ways = {"all_models": (titles, full)}
        if len(full) < len(means):  # otherwise all rankings are the same
            ways["all_sets"] = everywhere, means
            if len(tried) > len(everywhere):
                ways["all_tried"] = tried, filled
        ranks[measure] = {
            way: rank_rows(*ways[way], greater_is_better=direction) if way in ways else None
            for way in WAYS
        }
    return ranks
