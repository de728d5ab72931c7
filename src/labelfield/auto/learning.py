"""Training rows in all shapes that learners want, and the fit of the base learners."""

import time
import warnings
from dataclasses import replace

import numpy as np

from labelfield._gate.validation import as_generator, split_known
from labelfield.auto.bases import Training
from labelfield.auto.evidence import Evidence, ListedSets
from labelfield.auto.layers import FAILURES
from labelfield.auto.plan import Clock
from labelfield.model_selection import held_out_folds

__all__ = ["learn_bases", "prepare"]


def prepare(classifier, X, Y, sample_weight):
    """Return the rows with their features, listed sets and folds."""
    if len(Y) < 2:
        raise ValueError(
            f"Models are judged on rows they have not seen: n_samples={len(Y)} cannot be split."
        )
    labels, known = split_known(Y)
    seed = int(as_generator(classifier.random_state).integers(2**31 - 1))
    return Training(
        features=classifier._views.fit_transform(X),
        Y=Y.astype(np.float64),
        filled=labels,
        listed=ListedSets.of(labels, known),
        folds=held_out_folds(Y, classifier.cv, seed),
        sample_weight=sample_weight,
        n_jobs=classifier.n_jobs,
        seed=seed,
    )


def learn_bases(plan, data, budget, part):
    """Fit the base learners of a plan that the budget has time for.

    One that fails is left out with a warning; so are those not finished at an interrupt.

    Parameters
    ----------
    plan : list of Base
    data : Training
    budget : str or float
    part : callable
        What `fit_parts` gives; every base is a part.

    Returns
    -------
    bases : dict of name -> Base, fitted to all rows
    evidence : Evidence
        What they say of rows they have not seen.
    seconds : dict of name -> CPU seconds
    """
    clock = Clock.start(budget)
    evidence = _no_evidence(data)
    bases, seconds, problems = {}, {}, {}
    for base in plan:
        if bases and not clock.has_time_for(base, data):
            continue
        started = time.process_time()
        try:
            with part(base.name, total=base.n_steps(data)) as step:
                shown = replace(data, step=step)
                scores = base.hold_out(shown)
                bases[base.name] = base.fit(shown)
            evidence.add(base.name, scores)
        except FAILURES as error:
            problems[base.name] = str(error)
        except KeyboardInterrupt:
            if not bases:
                raise
            problems[base.name] = "interrupted"
            break
        seconds[base.name] = time.process_time() - started
        if len(bases) == 1 and np.isnan(data.Y).any():  # for learners that know no NaN
            guesses = evidence.log_odds[base.name] > 0
            data = replace(data, filled=np.where(np.isnan(data.Y), guesses, data.Y))
    _report(problems, bases)
    return bases, evidence, seconds


def _no_evidence(data):
    part = np.empty(len(data.Y), dtype=int)
    for number, (_, test) in enumerate(data.folds):
        part[test] = number
    return Evidence(np.stack([data.listed.counts(train) for train, _ in data.folds]), part)


def _report(problems, bases):
    if not bases:
        reasons = "; ".join(f"{name}: {why}" for name, why in problems.items())
        raise ValueError(f"No base learner could be fitted. {reasons}")
    for name, why in problems.items():
        warnings.warn(f"Base {name!r} is left out of the fit: {why}", RuntimeWarning, stacklevel=4)
