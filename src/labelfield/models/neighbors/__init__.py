"""Labels of the nearest training rows."""
