"""Errors and warnings of this package, and messages in Python's words.

All errors are a `FaceCropError`, except a `ValueError` for an invalid option.
"""

import os
import re
import sys
import types
import warnings
from collections.abc import Iterable
from typing import Literal, get_args, get_origin

from facecrop import options

# Words after an option that are not its value.
_PROSE = (
    "already|and|are|asks|both|can|cannot|copies|does|excludes?|executable|fails|for|gives|has|have|in|instead|is|keeps"
    "|lacks|makes|name|needs|not|only|or|prints|removes|sets|shows|takes|that|to|was|with|works?|writes?"
)
# The command's options, as its messages name them: a verb, the name, a value, and other values of the same option.
# Advice to run the command stays as it is, and so does a text in quotes, such as the name of a person.
_OPTION = re.compile(
    r"facecrop [a-z]+ --[a-z-]+|'--[a-z-]+'|(?P<verb>(?:pass|add|use|with) )?(?<![\w-])--(?P<name>[a-z]+(?:-[a-z]+)*)"
    rf"(?:[ =](?!(?:{_PROSE})\b)(?P<value>-?\w(?:[\w./:%+-]*[\w%])?)"
    r"(?P<more>(?:, \w+\b(?! --))*(?: or \w+\b(?! --))?))?"
)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
# Advice is the text in parentheses.
_ADVICE = re.compile(r" ?\(([^()]*)\)")
# Options with another name in Python, where `except` is a keyword.
_NAMES = {"except": "except_faces"}
_FLAGS = frozenset(name for name, hint in options.CropOptions.__annotations__.items() if hint is bool) | {
    "keep_location",
    "overwrite",
}
_WORDS = {
    name: {word for part in (hint, *get_args(hint)) if get_origin(part) is Literal for word in get_args(part)}
    for name, hint in options.CropOptions.__annotations__.items()
}
# Advice that names no option.
_PHRASES = {"remove it, or overwrite it": "remove it, or pass overwrite=True"}
_UNAVAILABLE = options.RESERVED - options.PARAMETERS - {"keep_location"}


def worded(message: str, of_cropper: bool = False) -> str:
    """Returns a message of the command in Python's words: options and their values are as a caller writes them.

    Advice to pass an option that Python does not have is removed. `of_cropper` says that the time and the memory are
    those of a `Cropper`, and not parameters of the function.
    """
    message = message.removeprefix("the request has invalid options: ")
    for words, own in _PHRASES.items():
        message = message.replace(words, own)
    if message.startswith("--background '") and message.endswith(")"):
        message = f"{message[:-1]}; to replace the background, use background_fill)"
    message = _ADVICE.sub(_advice, message)
    return _OPTION.sub(lambda option: _option(option, options.OF_CROPPER if of_cropper else frozenset()), message)


def _advice(advice: re.Match[str]) -> str:
    if advice[1].startswith("facecrop "):
        return f" (in a shell, {advice[1]})"
    named = {option["name"].replace("-", "_") for option in _OPTION.finditer(advice[1]) if option["name"]}
    return "" if named & _UNAVAILABLE else advice[0]


def _option(option: re.Match[str], of_cropper: frozenset[str]) -> str:
    if not option["name"]:
        return option[0]
    own = option["name"].replace("-", "_")
    name = _NAMES.get(own, own)
    verb, value, more = (option[group] or "" for group in ("verb", "value", "more"))
    if name in _FLAGS:
        text = f"{name}=True" if verb else name
        return verb + text + (f" {value}{more}" if value else "")
    text = f"{name}={_python(value)}" if value else name
    if name in of_cropper:
        text = f"Cropper({text})" if value else f"Cropper({name}=...)"
    if all(word in _WORDS.get(name, ()) for word in re.findall(r"\w+", more.replace(" or ", " "))):
        more = re.sub(r"(?<!\w)(?!or )\w+", lambda word: _python(word[0]), more)
    return verb + text + more


def _python(value: str) -> str:
    return value if _NUMBER.fullmatch(value) else f'"{value}"'


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
