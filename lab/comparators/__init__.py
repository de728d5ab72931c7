"""Methods that the documents compare with, from their papers; nobody should choose them from here.

One file each, found by the tables under its path ("lab.comparators.plst.PrincipalLabelSpace").
"""
