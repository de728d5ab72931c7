"""Studies: figures of our own behind the guides and method pages, one command each."""
