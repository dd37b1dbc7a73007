"""`make python-bench`: compares the Python package's `batch` with one `facecrop batch`, on 10,000 files.

The files are hard links to, or copies of, a folder's images. The runs alternate; the first round, which fills the
system's file cache, is not counted. Nothing else may run meanwhile.
"""

import argparse
import itertools
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import facecrop
from samples.pictures import REPOSITORY

ASKED = 0.95
WANTED = {"preset": "avatar", "size": 512}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python-bench", description=__doc__)
    parser.add_argument("--facecrop", type=pathlib.Path, default=REPOSITORY / ".build/release/facecrop")
    parser.add_argument("--pictures", type=pathlib.Path, required=True, help="a folder of pictures")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    command = str(options.facecrop.resolve())

    with tempfile.TemporaryDirectory(dir=REPOSITORY / ".build") as folder:
        work = pathlib.Path(folder)
        inputs = _files(options.pictures, work / "in", options.count)
        samples: dict[str, list[float]] = {"facecrop batch": [], "facecrop.batch of Python": []}
        for number in range(options.rounds + 1):
            measured = {
                "facecrop batch": _timed(lambda: _command(command, work)),
                "facecrop.batch of Python": _timed(lambda: _python(command, inputs, work)),
            }
            print(f"round {number}: " + ", ".join(f"{name} {wall:.2f} s" for name, wall in measured.items()))
            if number:
                for name, wall in measured.items():
                    samples[name].append(wall)
            else:
                _compare(work)
            for made in ("command", "python"):
                shutil.rmtree(work / made)
    rates = {name: options.count / statistics.median(walls) for name, walls in samples.items()}
    for name, rate in rates.items():
        print(f"{name}: {rate:.1f} pictures a second (median of {options.rounds})")
    ratio = rates["facecrop.batch of Python"] / rates["facecrop batch"]
    print(f"{ratio:.3f} of the command's; asked: at least {ASKED}: {'held' if ratio >= ASKED else 'missed'}")


def _files(pictures: pathlib.Path, folder: pathlib.Path, count: int) -> list[pathlib.Path]:
    """Returns `count` names for the folder's images, in a hundred folders."""
    sources = [path for path in sorted(pictures.iterdir()) if path.suffix.lower() in {".jpg", ".jpeg", ".png", ".webp"}]
    if not sources:
        sys.exit(f"python-bench: {pictures} has no pictures")
    made = []
    for number, source in enumerate(itertools.islice(itertools.cycle(sources), count)):
        path = folder / f"{number % 100:02}" / f"{number:05}{source.suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(source, path)
        except OSError:
            shutil.copyfile(source, path)
        made.append(path)
    return made


def _timed(what: Callable[[], object]) -> float:
    began = time.monotonic()
    what()
    return time.monotonic() - began


def _command(command: str, work: pathlib.Path) -> None:
    options = [f"--{name}={value}" for name, value in WANTED.items()]
    words = [command, "batch", "-r", str(work / "in"), "-d", str(work / "command"), "--progress=none", *options]
    subprocess.run(words, check=False, stderr=subprocess.DEVNULL)


def _python(command: str, inputs: list[pathlib.Path], work: pathlib.Path) -> None:
    count = 0
    for _ in facecrop.batch(inputs, work / "python", base=work / "in", facecrop=command, **WANTED):  # type: ignore[arg-type]
        count += 1
    assert count == len(inputs)


def _compare(work: pathlib.Path) -> None:
    """Checks that the compared runs have written the same files."""
    made = {path.relative_to(work / "command") for path in (work / "command").rglob("*.*")}
    made.discard(pathlib.Path("manifest.ndjson"))
    assert made == {path.relative_to(work / "python") for path in (work / "python").rglob("*.*")}
    assert made
    for path in sorted(made)[:: max(len(made) // 500, 1)]:
        assert (work / "command" / path).read_bytes() == (work / "python" / path).read_bytes(), path


if __name__ == "__main__":
    main()
