"""Errors of this package. All are a `FaceCropError`, except a `ValueError` for an invalid option."""

import re

# The command's options, as its messages name them, and advice to run the command, which stays as it is.
_OPTION = re.compile(r"facecrop [a-z]+ --[a-z-]+|(?<![\w-])--([a-z]+(?:-[a-z]+)*)")


def worded(message: str) -> str:
    """A message of the command in Python's words: its options have the names of the parameters."""
    message = message.removeprefix("the request has invalid options: ")
    return _OPTION.sub(lambda option: option[1].replace("-", "_") if option[1] else option[0], message)


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


class NoFaceError(PictureError):
    """There is no face, and `no_face` is `skip` or `fail`, so nothing was written."""
