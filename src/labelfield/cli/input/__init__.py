"""What commands read: data, scores, cases, and what a model file remembers of rows."""
