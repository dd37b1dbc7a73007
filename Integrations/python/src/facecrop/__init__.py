"""Crops pictures to the people in them, by facecrop's own processes.

`crop`, `crops`, `avatar` and `detect` take a picture's bytes, or its path; `batch` takes many files. The first four are
a `Cropper`'s methods: here of one that all threads share.
"""

from typing import Literal, Unpack

from facecrop.batch import batch
from facecrop.cropper import Cropper, Picture
from facecrop.errors import FaceCropError, NoFaceError, PictureError, WorkerError
from facecrop.options import CropOptions
from facecrop.results import Crop, Detection, Edge, Face, Head, Output, Pixel, Point, Reason, Rect, Result

__all__ = [
    "Crop",
    "CropOptions",
    "Cropper",
    "Detection",
    "Edge",
    "Face",
    "FaceCropError",
    "Head",
    "NoFaceError",
    "Output",
    "Picture",
    "PictureError",
    "Pixel",
    "Point",
    "Reason",
    "Rect",
    "Result",
    "WorkerError",
    "__version__",
    "avatar",
    "batch",
    "crop",
    "crops",
    "detect",
]


__version__ = "0.1.0"

# Made at once, so that no two threads make one each; it starts nothing before it is called.
_SHARED = Cropper()


def crop(picture: Picture, **options: Unpack[CropOptions]) -> bytes:
    """The picture cropped to the people in it, as a file's bytes; see `Cropper.crop`."""
    return _SHARED.crop(picture, **options)


def crops(picture: Picture, **options: Unpack[CropOptions]) -> list[bytes]:
    """All outputs where there are several, as for `faces="each"`; see `Cropper.crops`."""
    return _SHARED.crops(picture, **options)


def avatar(picture: Picture, **options: Unpack[CropOptions]) -> bytes:
    """A square picture of one head, as a file's bytes; see `Cropper.avatar`."""
    return _SHARED.avatar(picture, **options)


def detect(
    picture: Picture,
    *,
    detector: Literal["auto", "haar", "yunet"] = "auto",
    heads: bool = False,
    allow_truncated: bool = False,
) -> Detection:
    """The faces in a picture, the most confident one first; see `Cropper.detect`."""
    return _SHARED.detect(picture, detector=detector, heads=heads, allow_truncated=allow_truncated)
