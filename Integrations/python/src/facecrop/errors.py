"""What is raised; all of it is a `FaceCropError`, but for a `ValueError` where an option cannot be used."""


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
