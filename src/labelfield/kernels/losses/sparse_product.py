"""Products of a sparse matrix with a dense one, all columns of the dense one at once."""

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import FloatArray, IntArray

__all__ = ["csr_matmul"]


@compiled
def csr_matmul(
    data: FloatArray, indices: IntArray, indptr: IntArray, dense: FloatArray
) -> FloatArray:
    """Return the product (n, C) of a CSR matrix (n, d) with a C-ordered array (d, C).

    Eight rows of `dense` are added at a time, so that the result is read and written less often:
    about twice the speed of the product in scipy once there are some tens of columns.
    """
    n_columns = dense.shape[1]
    product = np.zeros((indptr.size - 1, n_columns), dtype=dense.dtype)
    for i in range(indptr.size - 1):
        row = product[i]
        k, end = indptr[i], indptr[i + 1]
        while k + 8 <= end:
            a0, a1, a2, a3 = data[k], data[k + 1], data[k + 2], data[k + 3]
            a4, a5, a6, a7 = data[k + 4], data[k + 5], data[k + 6], data[k + 7]
            r0, r1 = dense[indices[k]], dense[indices[k + 1]]
            r2, r3 = dense[indices[k + 2]], dense[indices[k + 3]]
            r4, r5 = dense[indices[k + 4]], dense[indices[k + 5]]
            r6, r7 = dense[indices[k + 6]], dense[indices[k + 7]]
            for j in range(n_columns):
                first = (a0 * r0[j] + a1 * r1[j]) + (a2 * r2[j] + a3 * r3[j])
                second = (a4 * r4[j] + a5 * r5[j]) + (a6 * r6[j] + a7 * r7[j])
                row[j] += first + second
            k += 8
        while k < end:
            a0, r0 = data[k], dense[indices[k]]
            for j in range(n_columns):
                row[j] += a0 * r0[j]
            k += 1
    return product
