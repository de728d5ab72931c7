"""Pages of results: what is done, ours beside the print, as markdown."""
