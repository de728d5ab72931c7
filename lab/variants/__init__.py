"""Models of the library in the form that a document gives them, where only the lab needs it."""
