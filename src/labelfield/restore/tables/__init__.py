"""Between tables of any make and the numbers and codes that a field works on."""
