"""A folder for temporary files that its owner removes, or a later owner if that was killed."""

import contextlib
import fcntl
import os
import pathlib
import shutil
import sys
import tempfile
import weakref
from collections.abc import Iterator

_PREFIX = "facecrop-"
_LOCK = ".facecrop-scratch"
_MARK = b"A folder for temporary files of the Python package facecrop, which removes it.\n"


class Scratch:
    """A new folder below `parent`, by default the system's folder for temporary files. A context manager.

    It is removed when it is closed, when nothing refers to this object, or when the interpreter exits. Its owner locks
    a file in it. Folders with such a file and without a lock belong to killed processes, and are removed first.
    """

    def __init__(self, parent: str | None = None) -> None:
        root = pathlib.Path(parent or tempfile.gettempdir()).absolute()
        _remove_abandoned(root)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=_PREFIX, dir=root))
        # Renamed once it is locked, so that no other process removes it.
        descriptor = os.open(self.folder / "new", os.O_CREAT | os.O_RDWR, 0o600)
        # An owner may be dropped without a call of `close`.
        self._finalizer = weakref.finalize(self, _release, self.folder, descriptor, os.getpid())
        if "multiprocessing.util" in sys.modules:
            # Processes of pools end without the functions of `atexit`.
            from multiprocessing import util

            util.Finalize(self, self._finalizer, exitpriority=0)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            os.write(descriptor, _MARK)
            os.rename(self.folder / "new", self.folder / _LOCK)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> pathlib.Path:
        return self.folder

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Removes the folder; a fork of the owner only releases it."""
        self._finalizer()


def _release(folder: pathlib.Path, descriptor: int, owner: int) -> None:
    if owner == os.getpid():
        shutil.rmtree(folder, ignore_errors=True)
    os.close(descriptor)


def _remove_abandoned(root: pathlib.Path) -> None:
    for folder in root.glob(f"{_PREFIX}*"):
        with (
            contextlib.suppress(OSError),
            _opened(folder, os.O_RDONLY | os.O_DIRECTORY) as parent,
            _opened(_LOCK, os.O_RDWR, parent) as lock,
        ):
            if os.read(lock, len(_MARK) + 1) == _MARK:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _opened(path: str | pathlib.Path, flags: int, parent: int | None = None) -> Iterator[int]:
    """Opens a file or a folder of this user that nobody else may use. Raises OSError for others, and for links."""
    descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=parent)
    try:
        status = os.fstat(descriptor)
        if status.st_uid != os.geteuid() or status.st_mode & 0o077:
            raise PermissionError(path)
        yield descriptor
    finally:
        os.close(descriptor)
