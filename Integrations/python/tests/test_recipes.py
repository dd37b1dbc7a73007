"""Runs the recipes of the README as a reader does."""

import json
import pathlib
import re
import signal
import subprocess
import sys
import time

import pytest

from samples import pictures

README = pictures.REPOSITORY / "Integrations/python/README.md"


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    for path in pictures.copies(tmp_path, *(f"photos/{number % 3}/{number}.jpg" for number in range(12))):
        path.write_bytes(path.read_bytes() + path.stem.encode())
    return tmp_path


def run(folder: pathlib.Path) -> subprocess.Popen[bytes]:
    """Runs the two cells of the data set as one script."""
    section = README.read_text().split("## Make a data set", 1)[1].split("\n## ", 1)[0]
    script = "\n".join(re.findall(r"^```python\n(.*?)^```$", section, re.DOTALL | re.MULTILINE))
    silent = subprocess.DEVNULL
    return subprocess.Popen([sys.executable, "-c", script], cwd=folder, stdout=silent, stderr=silent)


def recorded(folder: pathlib.Path) -> list[str]:
    """Returns the photos that have a line, and checks that each has its output."""
    lines = [json.loads(line) for line in (folder / "faces.ndjson").read_text().splitlines()]
    assert all(len(line["landmarks"]) == 5 for line in lines)
    files = [pathlib.Path(line["file"]) for line in lines]
    assert all(path.exists() for path in files)
    return sorted(str(path.relative_to(folder / "faces").with_suffix("")) for path in files)


def complete(folder: pathlib.Path) -> None:
    """Checks that a run gives each photo one record."""
    assert run(folder).wait() == 0
    photos = sorted(str(path.relative_to(folder / "photos")) for path in folder.glob("photos/*/*.jpg"))
    assert recorded(folder) == photos


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_an_interrupted_data_set_gets_all_records(folder: pathlib.Path, number: signal.Signals) -> None:
    first = run(folder)
    while first.poll() is None and len(list(folder.glob("faces/*/*.png"))) < 3:
        time.sleep(0.01)
    first.send_signal(number)
    first.wait()
    complete(folder)
    # A complete one gets nothing twice.
    complete(folder)


@pytest.mark.parametrize("kept", [b"", b"one", b"one and a half"])
def test_outputs_without_records_get_theirs(folder: pathlib.Path, kept: bytes) -> None:
    assert run(folder).wait() == 0
    record = folder / "faces.ndjson"
    first, second = record.read_bytes().splitlines(keepends=True)[:2]
    record.write_bytes({b"": b"", b"one": first, b"one and a half": first + second[:40]}[kept])
    complete(folder)
