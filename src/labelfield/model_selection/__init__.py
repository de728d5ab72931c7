"""Model_selection."""
