"""Shared fixtures of the packages' tests; a plugin of pytest."""

import os
import pathlib
import subprocess
import sys

import pytest

from samples.pictures import REPOSITORY


def executable(path: pathlib.Path, text: str) -> str:
    """Writes a program, and returns its path."""
    path.write_text(text)
    path.chmod(0o700)
    return str(path)


def run_python(script: str, check: bool = True, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", script], env=os.environ | environment, capture_output=True, text=True, check=check
    )


@pytest.fixture(scope="session")
def facecrop() -> str:
    """Returns the release build, or the command in FACECROP."""
    path = pathlib.Path(os.environ.get("FACECROP", REPOSITORY / ".build/release/facecrop")).resolve()
    assert path.is_file(), f"{path} is missing; make release builds it"
    return str(path)


@pytest.fixture
def poisoned_command(facecrop: str, tmp_path: pathlib.Path) -> str:
    """Returns the command under a new name; reading crash.jpg ends its process, and reading hang.jpg never ends."""
    library, link, wrapper = (tmp_path / name for name in ("poison.so", "facecrop-of-this-test", "poisoned"))
    source = REPOSITORY / "Tests/Support/Poison/poison.c"
    subprocess.run(["clang", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    link.symlink_to(facecrop)
    return executable(wrapper, f'#!/bin/sh\nLD_PRELOAD={library} exec {link} "$@"\n')
