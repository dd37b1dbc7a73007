"""Finds the command."""

import os
import pathlib
import shutil
import sys

# The contents of a wheel: the command, its models, and the libraries that it needs.
_ARCHIVE = pathlib.Path(__file__).parent / "archive"


def find() -> str:
    """Returns the command's path: `FACECROP` in the environment, the wheel's own, or the first `facecrop` on PATH.

    Without any of these, returns the bare name, which fails with a clear message when it is started.
    """
    if named := os.environ.get("FACECROP"):
        return named
    own = _ARCHIVE / "bin/facecrop"
    return str(own) if own.exists() else shutil.which("facecrop") or "facecrop"


def main() -> None:
    """Replaces this process with the wheel's command, `facecrop` in a shell. Exits with 127 if it cannot start."""
    own = str(_ARCHIVE / "bin/facecrop")
    try:
        os.execv(own, ["facecrop", *sys.argv[1:]])
    except OSError as error:
        print(
            f"facecrop: {own}: the command cannot be started: {error.strerror} (install the package again)",
            file=sys.stderr,
        )
        sys.exit(127)
