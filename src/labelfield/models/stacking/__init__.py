"""Joint distributions of several models pooled into one."""
