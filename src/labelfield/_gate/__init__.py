"""What users hand in: read, checked or refused here by name, and trusted below."""
