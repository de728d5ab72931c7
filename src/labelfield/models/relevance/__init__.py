"""One problem per label."""
