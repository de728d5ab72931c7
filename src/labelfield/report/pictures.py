"""Small pictures inside the page: arrays become PNG, everything becomes a data URI."""

import struct
import zlib
from base64 import b64encode
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["data_uri"]

COLOUR_TYPES = {1: 0, 3: 2, 4: 6}


def data_uri(picture: Any) -> str:
    """Return a picture as a data URI.

    Parameters
    ----------
    picture : array or str
        (h, w) grey or (h, w, 3) RGB or (h, w, 4) RGBA: whole numbers in 0..255, or floats in
        [0, 1] where 0 is black. A text starting with "<svg", or a "data:image/" URI, also works.

    Returns
    -------
    str

    Examples
    --------
    >>> from labelfield.report.pictures import data_uri
    >>> data_uri([[0.0, 1.0], [1.0, 0.0]])[:22]
    'data:image/png;base64,'
    """
    if isinstance(picture, str):
        if picture.startswith("data:image/"):
            return picture
        if picture.lstrip().startswith("<svg"):
            return f"data:image/svg+xml;base64,{b64encode(picture.encode()).decode()}"
        raise ValueError(
            f"A picture starts with {picture[:20]!r}; give an array, SVG text or a data:image/ URI."
        )
    return f"data:image/png;base64,{b64encode(_png(_bytes(picture))).decode()}"


def _bytes(picture: Any) -> NDArray[np.uint8]:
    """Return the picture as bytes, (h, w, channels)."""
    values = np.asarray(picture)
    if values.ndim == 2:
        values = values[:, :, None]
    if values.ndim != 3 or values.shape[2] not in COLOUR_TYPES or 0 in values.shape:
        raise ValueError(f"A picture has shape {np.shape(picture)}; give (h, w), (h, w, 3 or 4).")
    if values.dtype.kind in "bf":
        values = np.rint(255 * values.astype(np.float64))
    if not ((values >= 0) & (values <= 255)).all():
        raise ValueError("A picture must hold floats in [0, 1] or whole numbers in 0..255.")
    return values.astype(np.uint8)


def _png(values: NDArray[np.uint8]) -> bytes:
    height, width, channels = values.shape
    # each line of pixels begins with the number of its filter; 0 is none
    lines = np.concatenate([np.zeros((height, 1), np.uint8), values.reshape(height, -1)], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, COLOUR_TYPES[channels], 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in (
            (b"IHDR", header),
            (b"IDAT", zlib.compress(lines.tobytes(), 9)),
            (b"IEND", b""),
        )
    )
