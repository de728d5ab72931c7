"""The loops of `sets` and `losses` as whole-array operations, for tensors of other libraries.

`tensor_form` joins each to the compiled loop of the same name, which arrays of numpy get.
"""
