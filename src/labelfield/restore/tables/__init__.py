"""Tables of any library, and the numbers and codes that a field works on."""
