"""Finds the command."""

import os
import pathlib
import shutil
import sys

# The command of a wheel, beside its models and the libraries that it needs.
_OWN = pathlib.Path(__file__).parent / "archive/bin/facecrop"


def find() -> str:
    """Returns the command's path: `FACECROP` in the environment, the wheel's own, or the first `facecrop` on PATH.

    Without any of these, returns the bare name, which fails with a clear message when it is started.
    """
    if named := os.environ.get("FACECROP"):
        return named
    return str(_OWN) if _OWN.exists() else shutil.which("facecrop") or "facecrop"


def main() -> None:
    """Replaces this process with the wheel's command, `facecrop` in a shell. Exits with 127 if it cannot start."""
    try:
        os.execv(_OWN, ["facecrop", *sys.argv[1:]])
    except OSError as error:
        fault = f"the command cannot be started: {error.strerror} (install the package again)"
        print(f"facecrop: {_OWN}: {fault}", file=sys.stderr)
        sys.exit(127)
