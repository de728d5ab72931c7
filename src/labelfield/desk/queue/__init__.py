"""Which case comes next, for whom, and how far reviewers agree."""

from labelfield.desk.queue.adding import Added, NewCase, add_cases
from labelfield.desk.queue.agreement import agreement
from labelfield.desk.queue.leasing import keep_lease, lease_next, release
from labelfield.desk.queue.progress import progress

__all__ = [
    "Added",
    "NewCase",
    "add_cases",
    "agreement",
    "keep_lease",
    "lease_next",
    "progress",
    "release",
]
