"""Save and load models."""

import copy
import zipfile
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

from labelfield._exceptions import ModelFileError
from labelfield.io._aside import write_aside
from labelfield.io.archive import add_header, check_entries_unchanged, open_archive
from labelfield.io.trust import foreign_types

__all__ = ["load", "save"]


def save(
    model: Any,
    path: str | PathLike[str],
    *,
    notes: Mapping[str, Any] | None = None,
    trusted: Iterable[str] = (),
) -> None:
    """Write a model to a file that `load` opens without running foreign code.

    The file is a skops archive (arrays and JSON, no pickle) with a header that names the versions
    it was made with and a hash of every entry. It appears in one step: an interrupted `save` or a
    full disk leaves what was there.

    Parameters
    ----------
    model : estimator
        A labelfield model, or a scikit-learn pipeline around one.
    path : path
    notes : mapping of JSON values, optional
        Kept in the header; see `labelfield.io.read_header`.
    trusted : names of types, optional
        Types of other packages inside the model, which `load` will then also have to be given.

    Raises
    ------
    ValueError
        If the model holds something that `load` would refuse.

    Examples
    --------
    >>> import tempfile
    >>> from labelfield import BinaryRelevance, save
    >>> with tempfile.NamedTemporaryFile(suffix=".lf") as file:
    ...     save(BinaryRelevance(), file.name, notes={"made for": "an example"})
    """
    import skops.io

    if not hasattr(model, "get_params"):
        raise ValueError(f"save writes estimators; got {type(model).__name__}.")
    if hasattr(model, "_in_main_memory"):
        model = model._in_main_memory()
    if hasattr(model, "set_callbacks"):  # progress bars and the like stay behind
        model = copy.copy(model).set_callbacks()
    try:
        payload = skops.io.dumps(model, compression=zipfile.ZIP_DEFLATED)
    except (NotImplementedError, RecursionError, TypeError) as error:
        raise ValueError(f"This {type(model).__name__} cannot be saved: {error}") from error
    foreign = foreign_types(skops.io.get_untrusted_types(data=payload), trusted)
    if foreign:
        raise ValueError(
            f"This {type(model).__name__} holds {', '.join(foreign)}, which labelfield does not "
            "trust in a file. If you do, pass these names as trusted=[...] to save and to load."
        )
    content = add_header(payload, model, notes)
    with write_aside(path, "wb") as file:
        file.write(content)


def load(
    path: str | PathLike[str],
    *,
    trusted: Iterable[str] = (),
    max_bytes: int | None = None,
) -> Any:
    """Load a model written by `save`.

    Only data, scikit-learn estimators and the classes of labelfield are constructed. Everything
    else is refused before anything is made of it.

    Parameters
    ----------
    path : path
    trusted : names of types, optional
        Further types to construct, such as "sklearn.tree._tree.Tree"; name only what you have
        reviewed, in files whose origin you know.
    max_bytes : int, optional
        Limit of the unpacked size; by default 1 GiB, or 100 times the size of the file.

    Returns
    -------
    model : estimator

    Raises
    ------
    ModelFileError
        If the file is damaged or was changed, is not a model, is of a protocol that is not known,
        or holds a foreign type or arrays that do not fit together.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import labelfield
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "model.lf")
    ...     labelfield.BinaryRelevance(alpha=0.5).save(path)
    ...     labelfield.load(path)
    BinaryRelevance(alpha=0.5)
    """
    import skops.io

    from labelfield.io._state import check_state

    header, raw = open_archive(path, max_bytes)
    _read(path, header, lambda: check_entries_unchanged(path, header, raw))
    trusted = tuple(trusted)
    named = _read(path, header, lambda: skops.io.get_untrusted_types(data=raw))
    foreign = foreign_types(named, trusted)
    if foreign:
        raise ModelFileError(
            f"{path} holds {', '.join(foreign)}, which labelfield neither defines nor trusts; "
            "nothing was loaded. If you know where the file comes from, pass the names as "
            "trusted=[...]."
        )
    model = _read(path, header, lambda: skops.io.loads(raw, trusted=named))
    if not hasattr(model, "get_params"):
        raise ModelFileError(f"{path} holds a {type(model).__name__}, not an estimator.")
    _read(path, header, lambda: check_state(path, model))
    return model


def _read(path, header, step):
    try:
        return step()
    except ModelFileError:
        raise
    # A crafted or half-changed file can make the reader fail in any way; all mean the same.
    except Exception as error:
        raise ModelFileError(
            f"{path}, written by labelfield {header.labelfield}, cannot be read: "
            f"{type(error).__name__}: {error}. Save the model again, or load it with that version."
        ) from error
