"""Learning a mixed field from rows: the loss, its penalty, and rows with holes."""
