from labelfield.optim import Trace


def test_sum_holds_finished_problems_at_their_last_value():
    traces = [Trace([5.0, 3.0], "converged"), Trace([4.0, 3.0, 2.0, 1.0], "max_iter")]
    total = Trace.of_sum(traces)
    assert total == Trace([9.0, 6.0, 5.0, 4.0], "max_iter")
    assert total.n_iter == 3


def test_sum_of_nothing_has_converged():
    assert Trace.of_sum([]) == Trace([0.0], "converged")
