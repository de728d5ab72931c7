"""The arena: models of all kinds on data sets, tuned alike, in one table."""

from lab.arena.contest import Terms, run_contest
from lab.arena.folders import read_folder
from lab.arena.lines import Lines
from lab.arena.rows import ROWS, make_rows

__all__ = ["ROWS", "Lines", "Terms", "make_rows", "read_folder", "run_contest"]
