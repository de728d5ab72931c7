"""A dask cluster on this machine."""

from contextlib import contextmanager


@contextmanager
def two_workers(*, processes):
    """Give a client of two workers, which are threads of this process or processes of their own."""
    import distributed

    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(processes=processes, **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client
