"""Every job in the guide works."""

import pytest

import jobs.labels
import jobs.tables
import jobs.texts
import jobs.tools  # noqa: F401
from jobs.job import JOBS, PAGE, page_with_table


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("job", JOBS, ids=[job.title for job in JOBS])
def test_job(job):
    job.run()


def test_the_guide_lists_the_jobs():
    text = PAGE.read_text(encoding="utf-8")
    written = page_with_table(text)
    assert text == written, "run python tests/jobs/write_page.py"


def test_there_are_many_jobs():
    assert len(JOBS) >= 40
    assert len({job.title for job in JOBS}) == len(JOBS)
