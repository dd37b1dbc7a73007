"""A folder for temporary files, removed by its owner, or by a later one if that was killed."""

import contextlib
import fcntl
import os
import pathlib
import shutil
import tempfile

_PREFIX = "facecrop-"
_LOCK = "lock"


class Scratch:
    """A new folder below `parent`, by default the system's for temporary files. A context manager.

    Its owner holds a lock on a file in it. What a killed process left, and therefore holds no lock, is removed first.
    """

    def __init__(self, parent: str | None = None) -> None:
        root = pathlib.Path(parent or tempfile.gettempdir()).absolute()
        _remove_abandoned(root)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=_PREFIX, dir=root))
        self._owner = os.getpid()
        # Under another name until it is locked, so that nobody takes it for one that was left.
        self._descriptor = os.open(self.folder / "new", os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)
            os.rename(self.folder / "new", self.folder / _LOCK)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> pathlib.Path:
        return self.folder

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Removes it; a process that was forked from the owner only lets go of it."""
        if self._owner == os.getpid():
            shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self._descriptor)


def _remove_abandoned(root: pathlib.Path) -> None:
    for lock in root.glob(f"{_PREFIX}*/{_LOCK}"):
        with contextlib.suppress(OSError):
            descriptor = os.open(lock, os.O_RDWR)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(lock.parent, ignore_errors=True)
            finally:
                os.close(descriptor)
