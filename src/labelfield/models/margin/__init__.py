"""Max-margin fields of labels."""
