"""`make python-bench`: compares the Python package's `batch` with one `facecrop batch`, on 10,000 files.

The files are hard links to, or copies of, a folder's images. The runs alternate; the first round, which fills the
system's file cache, is not counted. Nothing else may run meanwhile.
"""

import itertools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import facecrop
from samples import bench
from samples.pictures import REPOSITORY

ASKED = 0.95


def main() -> None:
    parser = bench.parser("python-bench", __doc__, rounds=3)
    parser.add_argument("--count", type=int, default=10_000)
    options = parser.parse_args()
    command = str(options.facecrop.resolve())

    with tempfile.TemporaryDirectory(dir=REPOSITORY / ".build") as folder:
        work = pathlib.Path(folder)
        inputs = _files(options.pictures, work / "in", options.count)
        words = [command, "batch", "-r", work / "in", "-d", work / "command", "--progress=none", *bench.OPTIONS]

        def python() -> None:
            found = facecrop.batch(inputs, work / "python", base=work / "in", facecrop=command, **bench.WANTED)  # type: ignore[arg-type]
            assert sum(1 for _ in found) == len(inputs)

        runs = {
            "facecrop batch": lambda: subprocess.run(words, check=False, stderr=subprocess.DEVNULL),
            "facecrop.batch of Python": python,
        }
        seconds = bench.medians(bench.measured(options.rounds, runs, lambda: _compare(work)), 0)
    rates = {name: options.count / median for name, median in seconds.items()}
    for name, rate in rates.items():
        print(f"{name}: {rate:.1f} pictures a second (median of {options.rounds})")
    ratio = rates["facecrop.batch of Python"] / rates["facecrop batch"]
    print(f"{ratio:.3f} of the command's; asked: at least {ASKED}: {'held' if ratio >= ASKED else 'missed'}")


def _files(pictures: pathlib.Path | None, folder: pathlib.Path, count: int) -> list[pathlib.Path]:
    """Returns `count` names for the folder's images, in a hundred folders."""
    found = sorted(pictures.iterdir()) if pictures else []
    sources = [path for path in found if path.suffix.lower() in {".jpg", ".jpeg", ".png", ".webp"}]
    if not sources:
        sys.exit(f"python-bench: {pictures} has no pictures (pass --pictures FOLDER)")
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


def _compare(work: pathlib.Path) -> None:
    """Checks that the compared runs have written the same files, and removes these."""
    made = {path.relative_to(work / "command") for path in (work / "command").rglob("*.*")}
    made.discard(pathlib.Path("manifest.ndjson"))
    assert made == {path.relative_to(work / "python") for path in (work / "python").rglob("*.*")}
    assert made
    for path in sorted(made)[:: max(len(made) // 500, 1)]:
        assert (work / "command" / path).read_bytes() == (work / "python" / path).read_bytes(), path
    for name in ("command", "python"):
        shutil.rmtree(work / name)


if __name__ == "__main__":
    main()
