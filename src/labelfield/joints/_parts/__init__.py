"""What joints are made of: the arrays and options they accept, fields, machines, draws."""
