"""Crops images to the people in them, using facecrop's own processes.

`crop`, `crops`, `avatar`, `chips` and `detect` take an image's bytes or its path. They are methods of one shared,
thread-safe `Cropper`. `batch` crops many files, and `webdataset` writes aligned faces into tar files. `blur` hides the
faces in an image.
"""

from collections.abc import Iterable, Iterator
from typing import Unpack, overload

from facecrop.arrays import Array
from facecrop.batch import batch
from facecrop.blurring import BlurOptions, blur
from facecrop.cropper import Cropper
from facecrop.errors import FaceCropError, NoFaceError, PictureError, PictureWarning, WorkerError
from facecrop.options import CropOptions, DetectOptions
from facecrop.picture import Picture
from facecrop.results import Crop, Detection, Edge, Face, Head, Output, Pixel, Point, Reason, Rect, Result
from facecrop.webdataset import Shards, webdataset

__all__ = ["__version__", "avatar", "batch", "blur", "chips", "crop", "crops", "detect", "webdataset"]
__all__ += ["BlurOptions", "CropOptions", "Cropper", "DetectOptions", "Picture", "Shards"]
__all__ += ["Crop", "Detection", "Edge", "Face", "Head", "Output", "Pixel", "Point", "Reason", "Rect", "Result"]
__all__ += ["FaceCropError", "NoFaceError", "PictureError", "PictureWarning", "WorkerError"]

__version__ = "0.1.0"

# Created at import, so that two threads cannot create one each. It starts no process before the first call.
_SHARED = Cropper()


def crop(picture: Picture, **options: Unpack[CropOptions]) -> bytes:
    """Returns the image cropped to the people in it, as a file's bytes; see `Cropper.crop`."""
    return _SHARED.crop(picture, **options)


def crops(picture: Picture, **options: Unpack[CropOptions]) -> list[bytes]:
    """Returns several outputs, as for `faces="each"`; see `Cropper.crops`."""
    return _SHARED.crops(picture, **options)


def avatar(picture: Picture, **options: Unpack[CropOptions]) -> bytes:
    """Returns a square avatar of one head, as a file's bytes; see `Cropper.avatar`."""
    return _SHARED.avatar(picture, **options)


# A text and bytes are images, and iterable too.
@overload
def chips(pictures: Picture, **options: Unpack[CropOptions]) -> Array: ...  # type: ignore[overload-overlap, unused-ignore]


@overload
def chips(pictures: Iterable[Picture], **options: Unpack[CropOptions]) -> Iterator[Array]: ...


def chips(pictures: Picture | Iterable[Picture], **options: Unpack[CropOptions]) -> Array | Iterator[Array]:
    """Returns the faces of images, aligned to a template, as arrays of NumPy; see `Cropper.chips`."""
    return _SHARED.chips(pictures, **options)


def detect(picture: Picture, **options: Unpack[DetectOptions]) -> Detection:
    """Returns the faces in an image, highest score first; see `Cropper.detect`."""
    return _SHARED.detect(picture, **options)
