import os
import pathlib
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from facecrop import Cropper
from samples.fixtures import executable
from samples.pictures import REPOSITORY

# The commands that tests start must use this package.
os.environ["PYTHONPATH"] = os.pathsep.join(str(REPOSITORY / "Integrations" / folder) for folder in ("python/src", ""))


# A worker that responds without cropping, as the input's name says.
_STUB = """
import json, os, signal, sys, time
print("stub starts", file=sys.stderr, flush=True)
def say(line):
    sys.stdout.write(line + "\\n"); sys.stdout.flush()
held = []
for line in sys.stdin:
    request = json.loads(line)
    name = os.path.basename(request["input"])
    if name.startswith("once-"):
        mark = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
        if not os.path.exists(mark):
            open(mark, "w").close()
            name = name.removeprefix("once-")
    if name.startswith("crash"): os.kill(os.getpid(), signal.SIGSEGV)
    if name.startswith("half"): sys.stdout.write('{"id":'); sys.stdout.flush(); os._exit(3)
    if name.startswith("hang"): time.sleep(600)
    if name.startswith("junk"): say("no JSON")
    if name.startswith("twice"): say(json.dumps({"id": request["id"], "status": "cropped"}))
    if name.startswith("loud"): sys.stderr.write("x" * (1 << 20)); sys.stderr.flush()
    padding = "y" * (1 << 18) if name.startswith("large") else ""
    say(json.dumps({"id": request["id"], "status": "cropped", "detector": name, "warnings": [padding]}))
"""


@pytest.fixture
def ends() -> Callable[[int, float], bool]:
    """Returns a function that tells whether a process ends within some seconds. A zombie has ended."""

    def ends(pid: int, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                if pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                    return True
            except FileNotFoundError:
                return True
            time.sleep(0.05)
        return False

    return ends


@pytest.fixture
def cropper(facecrop: str) -> Iterator[Cropper]:
    with Cropper(facecrop=facecrop, workers=2) as cropper:
        yield cropper


@pytest.fixture
def stub(tmp_path: pathlib.Path) -> str:
    return executable(tmp_path / "stub", f"#!{sys.executable}\n{_STUB}")
