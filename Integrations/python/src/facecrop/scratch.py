"""A folder for temporary files that its owner removes, or a later owner if that was killed."""

import contextlib
import fcntl
import os
import pathlib
import shutil
import sys
import tempfile
import weakref

_PREFIX = "facecrop-"
_LOCK = "lock"


class Scratch:
    """A new folder below `parent`, by default the system's folder for temporary files. A context manager.

    It is removed when it is closed, when nothing refers to this object, or when the interpreter exits. Its owner locks
    a file in it. Folders without a lock belong to killed processes, and are removed first.
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
    for lock in root.glob(f"{_PREFIX}*/{_LOCK}"):
        with contextlib.suppress(OSError):
            descriptor = os.open(lock, os.O_RDWR)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(lock.parent, ignore_errors=True)
            finally:
                os.close(descriptor)
