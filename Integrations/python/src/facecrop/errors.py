"""Errors and warnings of this package, and messages in Python's words.

All errors are a `FaceCropError`, except a `ValueError` for an invalid option.
"""

import os
import re
import sys
import types
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

from facecrop import options

# Options with another name in Python, where `except` is a keyword.
_NAMES = {"except": "except_faces", "clobber": "overwrite"}
_UNAVAILABLE = options.RESERVED - options.PARAMETERS - {"keep_location"}


def worded(said: Mapping[str, Any], of_cropper: bool = False) -> str:
    """Returns the fault of the command's answer or event in Python's words: options are as a caller writes them.

    A remedy with an option that Python does not have is left out. `of_cropper` says that the time and the memory are
    those of a `Cropper`, and not parameters of the function.
    """
    fault = said.get("fault") or said.get("reason") or said
    problem = spelled(str(fault.get("problem") or fault.get("message") or "the command gave no reason"))
    remedy = fault.get("remedy") or ()
    if not remedy or any(_name(part["option"]) in _UNAVAILABLE for part in remedy if "option" in part):
        return problem
    return f"{problem} ({''.join(_words(part, of_cropper) for part in remedy)})"


def spelled(message: str) -> str:
    """Returns a message about options with their names in Python, except those in quotes."""
    return re.sub(r"(?<![\w'-])--([a-z]+(?:-[a-z]+)*)", lambda option: _name(option[1]), message)


def _words(part: Mapping[str, str], of_cropper: bool) -> str:
    if "option" not in part:
        return part["text"]
    name, value = _name(part["option"]), part.get("value", "...")
    if value == "true":
        value = "True"
    elif value != "..." and not value.isdecimal():
        value = f'"{value}"'
    if of_cropper and name in options.OF_CROPPER:
        return f"Cropper({name}={value})"
    return f"{name}={value}" if "value" in part else name


def _name(option: str) -> str:
    return _NAMES.get(option, option.replace("-", "_"))


class FaceCropError(Exception):
    """The base class of all errors."""


class WorkerError(FaceCropError):
    """The command cannot be used at all; no image is at fault."""


class PictureError(FaceCropError):
    """An image could not be cropped.

    Attributes:
        kind: A word for programs, such as `corrupt`, `unsupported`, `limit`; facecrop's guide lists them.
        retryable: Whether the error is transient, such as a lack of memory, so that a retry may succeed.
    """

    def __init__(self, kind: str, message: str, retryable: bool = False) -> None:
        super().__init__(message)
        self.kind = kind
        self.retryable = retryable

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.kind, str(self), self.retryable))


def check_name(picture: object) -> None:
    """Raises a `PictureError` for an image without a name, which would be the current folder, or with a zero byte."""
    if isinstance(picture, str) and not picture:
        raise PictureError("unreadable", "the name of the image is empty (pass a path, or the file's bytes)")
    if isinstance(picture, str) and "\0" in picture:
        raise PictureError("unreadable", "the name of the image has a zero byte, which no file name has")


class NoFaceError(PictureError):
    """There is no face, and `no_face` is `skip` or `fail`, so there is no output."""


class PictureWarning(UserWarning):
    """A warning of the command about an image, such as an image without the requested face.

    Attributes:
        kind: A word for programs, such as `no-face` or `smaller`; facecrop's guide lists them.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.kind, str(self)))


_PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")


def warn(found: Iterable[PictureWarning]) -> None:
    """Issues warnings at the line that called this package, however many of its functions are in between."""
    level = 1
    frame: types.FrameType | None = sys._getframe()
    while frame is not None and os.path.abspath(frame.f_code.co_filename).startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    for warning in found:
        warnings.warn(warning, stacklevel=level)
