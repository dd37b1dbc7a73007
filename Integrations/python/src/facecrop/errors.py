"""Errors and warnings of this package, and messages in Python's words.

All errors are a `FaceCropError`, except a `ValueError` for an invalid option.
"""

import os
import re
import sys
import types
import warnings
from collections.abc import Iterable

from facecrop import options

# The command's options, as its messages name them, and advice to run the command, which stays as it is.
_OPTION = re.compile(r"facecrop [a-z]+ --[a-z-]+|((?:pass|add|with) )?(?<![\w-])--([a-z]+(?:-[a-z]+)*)")
# Advice is the text in parentheses.
_ADVICE = re.compile(r" ?\(([^()]*)\)")
# Options with another name in Python, where `except` is a keyword.
_NAMES = {"except": "except_faces"}
_FLAGS = frozenset(name for name, hint in options.CropOptions.__annotations__.items() if hint is bool) | {"overwrite"}
# Advice that names no option.
_PHRASES = {"remove it, or overwrite it": "remove it, or pass overwrite=True"}
_UNAVAILABLE = options.RESERVED - options.PARAMETERS - {"keep_location"}


def worded(message: str) -> str:
    """Returns a message of the command in Python's words: its options have the names of the parameters.

    Advice to pass an option that Python does not have is removed.
    """
    message = message.removeprefix("the request has invalid options: ")
    for words, own in _PHRASES.items():
        message = message.replace(words, own)
    if message.startswith("--background '") and message.endswith(")"):
        message = f"{message[:-1]}; to replace the background, use background_fill)"
    message = _ADVICE.sub(_advice, message)
    return _OPTION.sub(_option, message)


def _advice(advice: re.Match[str]) -> str:
    if advice[1].startswith("facecrop "):
        return f" (in a shell, {advice[1]})"
    named = {option[2].replace("-", "_") for option in _OPTION.finditer(advice[1]) if option[2]}
    return "" if named & _UNAVAILABLE else advice[0]


def _option(option: re.Match[str]) -> str:
    verb, words = option[1] or "", option[2]
    if not words:
        return option[0]
    name = _NAMES.get(words, words.replace("-", "_"))
    return f"{verb}{name}=True" if verb and name in _FLAGS else f"{verb}{name}"


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


def not_started(command: str, error: OSError) -> WorkerError:
    """Returns the error for a command that cannot be started, with what to do."""
    return WorkerError(
        f"{command} cannot be started: {error.strerror or error} "
        "(install facecrop, set FACECROP to its path, or pass facecrop=... to Cropper, batch or blur)"
    )


def check_name(picture: object) -> None:
    """Raises a `PictureError` if the name of an image is empty, which would name the current folder."""
    if isinstance(picture, str) and not picture:
        raise PictureError("unreadable", "the name of the image is empty (pass a path, or the file's bytes)")


class NoFaceError(PictureError):
    """There is no face, and `no_face` is `skip` or `fail`, so nothing was written."""


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
