"""Jobs that people have, each a test, and the page that lists them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "jobs.md"
BEGIN, END = "<!-- jobs -->", "<!-- end of jobs -->"
TOPICS = ("Documents", "Tables", "Labels", "Tools of scikit-learn")
JOBS = []


@dataclass(frozen=True)
class Job:
    """What somebody wants to do, how it is written, and a function that does it and looks."""

    topic: str
    title: str
    how: str
    run: Callable[[], None]
    works: str


def job(topic, title, how, works="yes"):
    """Add a function to the jobs."""

    def add(run):
        JOBS.append(Job(topic, title, how, run, works))
        return run

    return add


def table():
    """Return the jobs as tables in markdown, a table per topic."""
    lines = []
    for topic in TOPICS:
        lines += [f"## {topic}", "", "| job | how | works |", "|---|---|---|"]
        lines += [
            f"| {job.title} | `{job.how}` | {job.works} |" for job in JOBS if job.topic == topic
        ]
        lines.append("")
    return "\n".join(lines)


def page_with_table(text):
    """Return the text of the page with the tables as they are now."""
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n\n{table()}\n{END}{rest.split(END)[1]}"
