"""Log-linear fields of labels."""
