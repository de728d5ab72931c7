"""What the desk needs beside the library."""

from importlib.util import find_spec

__all__ = ["require_desk"]

PACKAGES = ("fastapi", "pydantic", "sqlalchemy", "uvicorn")


def require_desk(find=find_spec) -> None:
    """Raise an error that names the extra where a package of the desk is missing.

    Examples
    --------
    >>> from labelfield.desk import require_desk
    >>> require_desk(find=lambda name: None)
    Traceback (most recent call last):
    ...
    ImportError: The review desk needs fastapi, pydantic, sqlalchemy, uvicorn: pip install \
'labelfield[desk]'.
    """
    missing = [name for name in PACKAGES if find(name) is None]
    if missing:
        raise ImportError(
            f"The review desk needs {', '.join(missing)}: pip install 'labelfield[desk]'."
        )
