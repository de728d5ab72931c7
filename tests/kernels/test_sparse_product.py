import numpy as np
import pytest
import scipy.sparse as sp

from labelfield import kernels


@pytest.mark.parametrize("n_columns", [0, 1, 3, 17])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_product_equals_scipy(n_columns, dtype):
    rng = np.random.default_rng(n_columns)
    filled = sp.random_array((30, 40), density=0.4, dtype=dtype, rng=rng)
    matrix = sp.vstack([sp.csr_array((3, 40), dtype=dtype), filled], format="csr")
    dense = rng.normal(size=(40, n_columns))
    product = kernels.losses.sparse_product.csr_matmul(
        matrix.data, matrix.indices, matrix.indptr, dense
    )
    assert product.dtype == np.float64
    np.testing.assert_allclose(product, matrix.toarray().astype(float) @ dense, atol=1e-13)
