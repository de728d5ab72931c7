"""Methods that the documents compare with; nobody should choose them from here.

They follow the published methods as far as their papers could be read: those of MMOC, LEAD, LSG21,
CLEMS, CFT, PD-Sparse, SPEN and DVN were not at hand in full, so details of these are our reading.

One file each, found by the tables under its path ("lab.comparators.plst.PrincipalLabelSpace").
"""
