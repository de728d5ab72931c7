"""Parts of the ARFF reader: header, which attributes are labels, rows."""
