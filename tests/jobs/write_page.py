"""Write the tables of docs/guide/jobs.md: python tests/jobs/write_page.py."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import jobs.labels
import jobs.tables
import jobs.texts
import jobs.tools  # noqa: F401
from jobs.job import PAGE, page_with_table

PAGE.write_text(page_with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
