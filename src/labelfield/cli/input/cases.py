"""Cases as reviewers see them: what they are called, and what is shown of them."""

__all__ = ["case_fields", "case_names"]


def case_names(ids, n_cases):
    """What cases are called: by the columns that name rows, or by their numbers."""
    if not ids:
        return [f"row {i + 1}" for i in range(n_cases)]
    return [" / ".join(cells) for cells in zip(*ids.values())]


def case_fields(data, answers=frozenset()):
    """What is shown of each row: its columns as text, None where a cell is empty.

    Columns of labels are left out: whoever is to decide must not see an answer.
    """
    if hasattr(data.X, "iloc"):
        from labelfield.encode.columns import read_columns

        columns = {
            column.name: column.words().tolist()
            for column in read_columns(data.X)
            if column.name not in answers
        }
        return [dict(zip(columns, cells)) for cells in zip(*columns.values())]
    import scipy.sparse as sp

    rows = sp.csr_matrix(data.X)
    return [
        {
            str(data.feature_names[j]): f"{value:g}"
            for j, value in zip(rows[i].indices.tolist(), rows[i].data.tolist())
        }
        for i in range(rows.shape[0])
    ]
