import pathlib
from collections.abc import Iterator

import pytest
from PIL import Image

from facecrop import Cropper, command
from samples.fixtures import executable

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
def cropper(facecrop: str) -> Iterator[Cropper]:
    with Cropper(facecrop=facecrop, workers=2) as cropper:
        yield cropper


@pytest.fixture
def stub(tmp_path: pathlib.Path) -> str:
    return executable(tmp_path / "stub", _STUB)


@pytest.fixture
def empty_folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """Returns the current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def two_folders(empty_folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """Returns a folder with one/a.png, 40 pixels wide, and two/a.png, 80 pixels wide.

    The current folder is one, and only this one has a link `command`.
    """
    for name, side in (("two", 80), ("one", 40)):
        (empty_folder / name).mkdir()
        monkeypatch.chdir(empty_folder / name)
        Image.new("RGB", (side, side)).save("a.png")
    pathlib.Path("command").symlink_to(command.find())
    return empty_folder
