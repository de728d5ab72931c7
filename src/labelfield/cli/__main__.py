"""Run the command line with `python -m labelfield.cli`."""

from labelfield.cli.app import main

main()
