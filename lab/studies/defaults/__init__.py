"""Studies behind defaults: whether a choice pays, and what it costs."""
