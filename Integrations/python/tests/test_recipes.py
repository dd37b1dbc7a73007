"""Runs the recipes of the README as a reader does."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import pytest

from samples import pictures

README = pictures.REPOSITORY / "Integrations/python/README.md"


def data_set() -> str:
    """Returns the two cells of the data set as one script."""
    section = README.read_text().split("## Make a data set", 1)[1].split("\n## ", 1)[0]
    return "\n".join(re.findall(r"^```python\n(.*?)^```$", section, re.DOTALL | re.MULTILINE))


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    portrait = pictures.PORTRAIT.read_bytes()
    for number in range(12):
        path = tmp_path / f"photos/{number % 3}/{number}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(portrait + str(number).encode())
    return tmp_path


def run(folder: pathlib.Path, facecrop: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", data_set()],
        cwd=folder,
        env={**os.environ, "FACECROP": facecrop},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def recorded(folder: pathlib.Path) -> list[str]:
    """Returns the photos that have a line, and checks that each has its output."""
    lines = [json.loads(line) for line in (folder / "faces.ndjson").read_text().splitlines()]
    assert all(len(line["landmarks"]) == 5 for line in lines)
    files = [pathlib.Path(line["file"]) for line in lines]
    assert all(path.exists() for path in files)
    return sorted(str(path.relative_to(folder / "faces").with_suffix("")) for path in files)


def photos(folder: pathlib.Path) -> list[str]:
    return sorted(str(path.relative_to(folder / "photos")) for path in folder.glob("photos/*/*.jpg"))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_an_interrupted_data_set_gets_all_records(facecrop: str, folder: pathlib.Path, number: signal.Signals) -> None:
    first = run(folder, facecrop)
    while first.poll() is None and len(list(folder.glob("faces/*/*.png"))) < 3:
        time.sleep(0.01)
    first.send_signal(number)
    first.wait()
    assert run(folder, facecrop).wait() == 0
    assert recorded(folder) == photos(folder)
    # A complete one gets nothing twice.
    assert run(folder, facecrop).wait() == 0
    assert recorded(folder) == photos(folder)


@pytest.mark.parametrize("kept", [b"", b"one", b"one and a half"])
def test_outputs_without_records_get_theirs(facecrop: str, folder: pathlib.Path, kept: bytes) -> None:
    assert run(folder, facecrop).wait() == 0
    record = folder / "faces.ndjson"
    first, second = record.read_bytes().splitlines(keepends=True)[:2]
    record.write_bytes({b"": b"", b"one": first, b"one and a half": first + second[:40]}[kept])
    assert run(folder, facecrop).wait() == 0
    assert recorded(folder) == photos(folder)
