"""A folder on the local disk for one task, removed with it, or by a later one if the task was killed."""

import contextlib
import fcntl
import os
import pathlib
import shutil
import tempfile
from collections.abc import Iterator

_PREFIX = "facecrop-spark-"
_LOCK = "lock"


@contextlib.contextmanager
def scratch(parent: str | None) -> Iterator[pathlib.Path]:
    """A new folder below `parent`, by default Spark's first local folder, or the system's for temporary files.

    Its owner holds a lock on a file in it. What a killed process left, and therefore holds no lock, is removed first.
    """
    root = pathlib.Path(parent or os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0] or tempfile.gettempdir())
    _remove_abandoned(root)
    folder = pathlib.Path(tempfile.mkdtemp(prefix=_PREFIX, dir=root))
    # Under another name until it is locked, so that nobody takes it for one that was left.
    descriptor = os.open(folder / "new", os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.rename(folder / "new", folder / _LOCK)
        yield folder
    finally:
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
