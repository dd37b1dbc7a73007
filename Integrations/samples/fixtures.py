"""Shared fixtures of the packages' tests; a plugin of pytest."""

import contextlib
import json
import os
import pathlib
import random
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from facecrop import PictureError
from samples.pictures import REPOSITORY

# The processes that tests start must use these packages, and by default this command.
os.environ["PYTHONPATH"] = os.pathsep.join(
    str(REPOSITORY / "Integrations" / path) for path in ("python/src", "spark/src", "")
)
os.environ["FACECROP"] = str(pathlib.Path(os.environ.get("FACECROP", REPOSITORY / ".build/release/facecrop")).resolve())


def executable(path: pathlib.Path, text: str, interpreter: str = sys.executable) -> str:
    """Writes a program, and returns its path."""
    path.write_text(f"#!{interpreter}\n{text}")
    path.chmod(0o700)
    return str(path)


def run_python(script: str, check: bool = True, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", script], env=os.environ | environment, capture_output=True, text=True, check=check
    )


def command_batch(
    base: pathlib.Path, output: pathlib.Path, options: list[str], inputs: list[pathlib.Path]
) -> dict[str, dict[str, Any]]:
    """Runs one `facecrop batch` on all images, and returns its records by input."""
    names = b"\0".join(os.fsencode(path) for path in inputs)
    words = [os.environ["FACECROP"], "batch", "--from-list=-", f"--base={base}", f"-d={output}", "--progress=none"]
    status = subprocess.run([*words, *options], input=names, stderr=subprocess.DEVNULL, check=False).returncode
    assert status in (0, 1), status
    lines = (output / "manifest.ndjson").read_text().splitlines()[1:]
    entries = {entry["input"]: entry for entry in map(json.loads, lines)}
    assert len(entries) == len(lines) == len(inputs)
    return entries


def fate(result: Any) -> tuple[str, str | None]:
    """Returns the status of a result or a row, and the kind of its reason."""
    return result.status, result.reason and result.reason.kind


def files(folder: pathlib.Path) -> dict[str, bytes]:
    """Returns the contents of the files below a folder by their paths, without a batch's manifest."""
    found = (path for path in folder.rglob("*") if path.is_file() and path.name != "manifest.ndjson")
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def fails(kind: str, words: str | None = None, retryable: bool = False) -> "pytest.RaisesExc[PictureError]":
    """Expects a `PictureError` of a kind, whose message matches a pattern."""
    expected = (kind, retryable)
    return pytest.raises(PictureError, match=words, check=lambda error: (error.kind, error.retryable) == expected)


def ends(pid: int, seconds: float) -> bool:
    """Returns whether a process ends within some seconds. A zombie has ended."""
    with contextlib.suppress(ProcessLookupError), open(os.pidfd_open(pid), "rb", buffering=0) as process:
        return bool(select.select([process], [], [], seconds)[0])
    return True


@contextlib.contextmanager
def killing(
    found: Callable[[], Iterable[int]], seconds: tuple[float, float], most: int = sys.maxsize
) -> Iterator[list[int]]:
    """Kills one of the found processes at random times, up to a number of them. Yields a list of the killed ones."""
    lots = random.Random(11)
    stop = threading.Event()
    killed: list[int] = []

    def run() -> None:
        while len(killed) < most and not stop.wait(lots.uniform(*seconds)):
            if processes := sorted(found()):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process := lots.choice(processes), signal.SIGKILL)
                    killed.append(process)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield killed
    finally:
        stop.set()
        thread.join()


@pytest.fixture(scope="session")
def facecrop() -> str:
    """Returns the release build, or the command in FACECROP."""
    path = os.environ["FACECROP"]
    assert os.path.isfile(path), f"{path} is missing; make release builds it"
    return path


@pytest.fixture
def poisoned_command(facecrop: str, tmp_path: pathlib.Path) -> str:
    """Returns the command under a new name; reading crash.jpg ends its process, and reading hang.jpg never ends."""
    library, link, wrapper = (tmp_path / name for name in ("poison.so", "facecrop-of-this-test", "poisoned"))
    source = REPOSITORY / "Tests/Support/Poison/poison.c"
    subprocess.run(["clang", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    link.symlink_to(facecrop)
    return executable(wrapper, f'LD_PRELOAD={library} exec {link} "$@"\n', "/bin/sh")
