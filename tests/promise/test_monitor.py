"""The running test against its definition; alarms by simulation."""

import numpy as np
import pytest
from lab.studies.promise import alarm_rows

from labelfield import PromiseMonitor
from labelfield.promise.evidence import STAKES


def test_capital_is_the_sum_over_all_starts():
    values = np.random.default_rng(0).random(30).round(1)
    monitor = PromiseMonitor(0.9).update(values)
    total = 1 / 31
    for start in range(30):
        grown = (1 + np.outer(0.9 - values[start:], STAKES) / 0.1).prod(axis=0).mean()
        total += grown / ((start + 1) * (start + 2))
    assert monitor.capital == pytest.approx(total)
    one_by_one = PromiseMonitor(0.9)
    for value in values:
        one_by_one.update(value)
    assert one_by_one.capital == monitor.capital


def false_alarms(rates, accuracy, repeats):
    rng = np.random.default_rng(0)
    runs = (rng.random((repeats, len(rates))) < rates).astype(float)
    return np.array([PromiseMonitor(accuracy).update(run).alarm for run in runs])


def test_alarms_are_rare_while_the_promise_is_kept():
    alarms = false_alarms(np.full(300, 0.9), 0.9, 60).mean()
    assert alarms <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 60)


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.9, 0.92])
def test_alarms_are_rare_in_2000_draws(rate):
    runs = np.random.default_rng(2).random((2000, 500)) < rate
    at = alarm_rows(runs, accuracy=0.9, alpha=0.05)  # all runs at once
    for run, row in zip(runs[:5], at):
        assert PromiseMonitor(0.9).update(run).alarm_at == (row if np.isfinite(row) else None)
    alarms = np.isfinite(at).mean()
    assert alarms <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 2000)


def test_a_break_is_noticed_early_and_late():
    assert false_alarms(np.full(150, 0.7), 0.9, 40).mean() > 0.9
    assert false_alarms(np.repeat([0.95, 0.7], [300, 200]), 0.9, 40).mean() > 0.9


def test_the_alarm_stays_and_says_when():
    monitor = PromiseMonitor(0.9).update(np.zeros(20))
    at = monitor.alarm_at
    assert monitor.alarm
    assert PromiseMonitor(0.9).update(np.zeros(at - 1)).alarm is False
    assert monitor.update(np.ones(5000)).alarm_at == at
    assert "ALARM" in str(monitor)


def test_interval_holds_the_rate():
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(40):
        low, high = PromiseMonitor(0.9, alpha=0.2).update(rng.random(200) < 0.8).interval()
        held += low <= 0.8 <= high
        assert high - low < 0.35
    assert held >= 30
    assert PromiseMonitor(0.9).interval() == (0.0, 1.0)
    assert "audited 0" in str(PromiseMonitor(0.9))


def test_wrong_values_are_named():
    with pytest.raises(ValueError, match="accuracy must lie"):
        PromiseMonitor(1.0)
    with pytest.raises(ValueError, match="alpha must lie"):
        PromiseMonitor(0.9, alpha=0)
    with pytest.raises(ValueError, match="values must be 0 or 1"):
        PromiseMonitor(0.9).update([np.nan])
