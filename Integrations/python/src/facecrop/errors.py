"""What is raised; all of it is a `FaceCropError`, but for a `ValueError` where an option cannot be used."""

import re

# The command's options, as its messages name them.
_OPTION = re.compile(r"(?<![\w-])--([a-z]+(?:-[a-z]+)*)")


def worded(message: str) -> str:
    """A message of the command in Python's words: its options have the names of the parameters."""
    message = message.removeprefix("the request has invalid options: ")
    return _OPTION.sub(lambda option: option[1].replace("-", "_"), message)


class FaceCropError(Exception):
    """Something went wrong."""


class WorkerError(FaceCropError):
    """The command cannot be used at all: no picture is to blame."""


class PictureError(FaceCropError):
    """A picture could not be cropped.

    Attributes:
        kind: A word for programs, such as `corrupt`, `unsupported`, `limit`; facecrop's guide lists them.
        retryable: Whether the same picture may pass at another time: the machine lacked something.
    """

    def __init__(self, kind: str, message: str, retryable: bool = False) -> None:
        super().__init__(message)
        self.kind = kind
        self.retryable = retryable

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.kind, str(self), self.retryable))


class NoFaceError(PictureError):
    """There is no face, and `no_face` is `skip` or `fail`, so that nothing was written."""
