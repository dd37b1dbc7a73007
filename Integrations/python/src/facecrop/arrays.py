"""Reads the TIFF files that facecrop writes into NumPy's arrays, without another package."""

import importlib
import json
import pathlib
import struct
import zlib
from typing import TYPE_CHECKING, Any, TypeAlias

from facecrop.errors import PictureError

# NumPy is optional. Type checkers take Any for it if it is not installed.
if TYPE_CHECKING:
    import numpy as np  # type: ignore[import-not-found, unused-ignore]
    import numpy.typing as npt  # type: ignore[import-not-found, unused-ignore]

    Array: TypeAlias = npt.NDArray[np.uint8]
else:
    Array = Any

# The sizes of the templates with a published definition: height and width.
_SIZES = {"arcface-112": (112, 112), "ffhq-1024": (1024, 1024), "dlib-150": (150, 150)}
# TIFF 6.0: the bytes and the letter of `struct` for the types SHORT and LONG.
_TYPES = {3: (2, "H"), 4: (4, "I")}
_WIDTH, _HEIGHT, _COMPRESSION, _OFFSETS, _SAMPLES, _ROWS, _COUNTS, _PREDICTOR = 256, 257, 259, 273, 277, 278, 279, 317
_DEFLATE = (8, 32946)


def numpy_module() -> Any:
    """Returns NumPy, which nothing else in this package needs."""
    try:
        return importlib.import_module("numpy")
    except ImportError as error:
        raise ImportError("arrays need the package numpy (pip install numpy)") from error


def size(template: str) -> tuple[int, int]:
    """Returns a template's height and width."""
    if template in _SIZES:
        return _SIZES[template]
    width, height = json.loads(pathlib.Path(template).read_text())["size"]
    return int(height), int(width)


def pixels(data: bytes) -> Array:
    """Returns the RGB pixels of a TIFF file as facecrop writes it: strips with Deflate and differences.

    Gray is repeated, and transparent pixels are mixed with black.
    """
    np = numpy_module()
    tags = _tags(data)
    width, height, samples, rows = (tags[tag][0] for tag in (_WIDTH, _HEIGHT, _SAMPLES, _ROWS))
    if tags[_COMPRESSION][0] not in _DEFLATE or tags.get(_PREDICTOR) != (2,):
        raise PictureError("internal", "the output is not a TIFF file of facecrop")
    image: Array = np.empty((height, width, samples), np.uint8)
    for index, (offset, count) in enumerate(zip(tags[_OFFSETS], tags[_COUNTS], strict=True)):
        strip = image[index * rows : (index + 1) * rows]
        differences = np.frombuffer(zlib.decompress(data[offset : offset + count]), np.uint8)
        np.cumsum(differences.reshape(strip.shape), axis=1, dtype=np.uint8, out=strip)
    if samples == 1:
        image = np.repeat(image, 3, axis=2)
    elif samples == 4:
        image = ((image[..., :3].astype(np.uint16) * image[..., 3:] + 127) // 255).astype(np.uint8)
    return image


def _tags(data: bytes) -> dict[int, tuple[int, ...]]:
    order = {b"II": "<", b"MM": ">"}[data[:2]]
    (directory,) = struct.unpack_from(f"{order}I", data, 4)
    (count,) = struct.unpack_from(f"{order}H", data, directory)
    tags: dict[int, tuple[int, ...]] = {}
    entries = data[directory + 2 : directory + 2 + 12 * count]
    for tag, kind, values, place in struct.iter_unpack(f"{order}HHI4s", entries):
        if kind in _TYPES:
            width, letter = _TYPES[kind]
            source, start = (place, 0) if width * values <= 4 else (data, *struct.unpack(f"{order}I", place))
            tags[tag] = struct.unpack_from(f"{order}{values}{letter}", source, start)
    return tags
