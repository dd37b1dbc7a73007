"""Where the command is."""

import os
import pathlib
import shutil
import sys

# What a wheel brings: the command, its models, and the libraries that it needs.
_ARCHIVE = pathlib.Path(__file__).parent / "archive"


def find() -> str:
    """The command's path: that of `FACECROP` in the environment, the wheel's own, or the first `facecrop` on PATH.

    Where there is none, the bare name, which says so when it is started.
    """
    if named := os.environ.get("FACECROP"):
        return named
    own = _ARCHIVE / "bin/facecrop"
    return str(own) if own.exists() else shutil.which("facecrop") or "facecrop"


def main() -> None:
    """Becomes the wheel's command: `facecrop` in a shell. Exits with status 127 if that cannot be started."""
    own = str(_ARCHIVE / "bin/facecrop")
    try:
        os.execv(own, ["facecrop", *sys.argv[1:]])
    except OSError as error:
        print(
            f"facecrop: {own}: the command cannot be started: {error.strerror} (install the package again)",
            file=sys.stderr,
        )
        sys.exit(127)
