"""Measures avatars of RAW files of every kind, compared with those of the embedded JPEG, and LibRaw's time to find
it."""

import argparse
import ctypes
import datetime
import mmap
import os
import pathlib
import statistics
import subprocess
import tempfile

from compare.environment import environment
from compare.markdown import prose
from real.measure import run

# The directories of each kind.
CONTAINERS = {
    "cr2": "TIFF directories", "nef": "TIFF directories", "arw": "TIFF directories", "dng": "TIFF directories",
    "pef": "TIFF directories", "srw": "TIFF directories", "rw2": "TIFF directories, an entry", "raf": "a fixed header",
    "orf": "TIFF directories, the maker's note", "cr3": "ISO boxes, a track",
}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(prog="raw", description=__doc__)
    parser.add_argument("picture", type=pathlib.Path, help="a JPEG file, which becomes the preview of each RAW file")
    parser.add_argument("--facecrop", default=".build/release/facecrop", help="the release build that is measured")
    parser.add_argument("--bench", default=".build/release/bench", help="makes the files")
    parser.add_argument("--rounds", type=int, default=15, help="measurements per file")
    parser.add_argument("--runs", default="Benchmarks/runs", type=pathlib.Path, help="parent of the run's folder, which has today's date")
    options = parser.parse_args()
    program = str(pathlib.Path(options.facecrop).resolve())
    said = environment(program, tools=False)
    with tempfile.TemporaryDirectory(dir=".build") as folder:
        work = pathlib.Path(folder)
        subprocess.run([options.bench, "--raw", str(options.picture), folder], check=True)
        jpeg = work / "preview.jpg"
        jpeg.write_bytes(options.picture.read_bytes())
        files = [jpeg, *sorted(path for path in work.iterdir() if path != jpeg)]
        rows = {path: {"time": [], "memory": [], "libraw": [], "libraw memory": []} for path in files}
        for _ in range(options.rounds):
            for path in files:
                row = rows[path]
                seconds, peak = avatar(program, path, work)
                row["time"].append(seconds)
                row["memory"].append(peak)
        for path in files:
            drop(path)
            avatar(program, path, work)
            rows[path]["read"] = cached(path)
        for path in files[1:]:
            for _ in range(3):
                status, usage = run(["simple_dcraw", "-e", str(path)])
                found = sorted(work.glob(f"{path.name}.thumb*"))
                whole = status == 0 and any(made.stat().st_size >= jpeg.stat().st_size for made in found)
                for made in found:
                    made.unlink()
                if whole:
                    seconds, peak = used(usage)
                    rows[path]["libraw"].append(seconds)
                    rows[path]["libraw memory"].append(peak)
        text = page(said, jpeg, files, rows, options)
    target = options.runs / datetime.date.today().isoformat() / "raw"
    target.mkdir(parents=True, exist_ok=True)
    (target / "README.md").write_text(text)
    print(text)


def avatar(program: str, path: pathlib.Path, work: pathlib.Path) -> tuple[float, int]:
    made = work / "made.jpg"
    made.unlink(missing_ok=True)
    status, usage = run([program, "avatar", str(path), "-o", str(made), "--no-face", "center", "--progress", "none"])
    if status != 0:
        raise SystemExit(f"raw: no avatar of {path.name}")
    return used(usage)


def used(usage) -> tuple[float, int]:
    """Returns processor time in seconds, and peak of resident memory in bytes."""
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def drop(path: pathlib.Path):
    """Drops the file from the system's cache."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def cached(path: pathlib.Path) -> int:
    """Returns the bytes of the file in the system's cache, including read-ahead."""
    library = ctypes.CDLL(None, use_errno=True)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE) as map:
        pages = (len(map) + mmap.PAGESIZE - 1) // mmap.PAGESIZE
        there = (ctypes.c_ubyte * pages)()
        start = ctypes.addressof(ctypes.c_ubyte.from_buffer(map))
        if library.mincore(ctypes.c_void_p(start), ctypes.c_size_t(len(map)), there) != 0:
            raise SystemExit("raw: mincore cannot report the cached pages of a file")
        return sum(page & 1 for page in there) * mmap.PAGESIZE


def page(said: dict, jpeg: pathlib.Path, files: list[pathlib.Path], rows: dict, options) -> str:
    own = {key: statistics.median(rows[jpeg][key]) for key in ("time", "memory")}
    lines = [
        f"# Avatars of RAW files, {said['date']}",
        prose(
            f"Made by `make bench-raw` on {said['processors']} × {said['processor']}, {said['system']}.",
            f"The files have the layout of each camera maker, a JPEG of {mebibytes(jpeg.stat().st_size)} MiB as preview,",
            "and 60 MB of noise for the sensor's data.",
            f"Figures are medians of {options.rounds} whole processes.",
            f"The JPEG alone takes {own['time'] * 1e3:.0f} ms of processor time and {mebibytes(own['memory'])} MiB,",
            f"and reads {mebibytes(rows[jpeg]['read'])} MiB.",
            "Bytes read are those in the system's cache after one run, with read-ahead.",
            "LibRaw's `simple_dcraw -e` only copies the preview. It does not accept some of these files.",
        ),
        "| file | container | bytes | read | time over the JPEG's | memory over the JPEG's | LibRaw: time | memory |\n"
        "|---|---|---:|---:|---:|---:|---:|---:|\n" + "\n".join(row(path, rows[path], own) for path in files[1:]),
    ]
    return "\n\n".join(lines) + "\n"


def row(path: pathlib.Path, samples: dict, own: dict) -> str:
    kind = path.suffix[1:]
    libraw = ["finds none", ""]
    if samples["libraw"]:
        libraw = [f"{statistics.median(samples['libraw']) * 1e3:.0f} ms", f"{mebibytes(statistics.median(samples['libraw memory']))} MiB"]
    cells = [
        kind.upper(), CONTAINERS[kind], f"{mebibytes(path.stat().st_size)} MiB", f"{mebibytes(samples['read'])} MiB",
        f"{statistics.median(samples['time']) / own['time']:.2f}", f"{statistics.median(samples['memory']) / own['memory']:.2f}", *libraw,
    ]  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def mebibytes(count: float) -> str:
    return f"{count / (1 << 20):.1f}"


main()
