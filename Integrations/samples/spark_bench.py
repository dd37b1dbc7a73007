"""`make spark-bench`: compares Spark's `local[2]` with one `facecrop batch --jobs 2`, on the same 200 images of 12 MP.

The runs alternate; the first round, which fills the system's file cache, is not counted. Spark's time is from the call
to the rows in Parquet, in a session that has already run a task. Its start, once per job, is reported separately.
Processor time is that of all processes, including the JVM's. Nothing else may run meanwhile.
"""

import argparse
import contextlib
import datetime
import json
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import tempfile
import textwrap
import time
from collections.abc import Callable

import pyspark
from pyspark.sql import SparkSession

from facecrop_spark import crop_images
from samples.pictures import REPOSITORY

ASKED = 0.8
# One for each processor of local[2]: 100 images, fewer than a task should have.
TASKS = 2
WANTED = {"preset": "avatar", "size": 512}


def main() -> None:
    parser = argparse.ArgumentParser(prog="spark-bench", description=__doc__)
    parser.add_argument("--facecrop", type=pathlib.Path, default=REPOSITORY / ".build/release/facecrop")
    parser.add_argument("--bench", type=pathlib.Path, default=REPOSITORY / ".build/release/bench", help="draws them")
    parser.add_argument("--pictures", type=pathlib.Path, help="a folder of JPEG files to take instead")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=pathlib.Path, default=REPOSITORY / "Benchmarks/runs")
    options = parser.parse_args()

    facecrop = str(options.facecrop.resolve())
    pictures = _pictures(options)
    began = time.monotonic()
    spark = (
        SparkSession.builder.master("local[2]")
        .appName("facecrop bench")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        start = time.monotonic() - began
        first, _ = _timed(lambda: _map(spark, pictures[:2], facecrop, work / "first", tasks=1))
        samples: dict[str, list[float]] = {name: [] for name in _NAMES}
        processor: dict[str, list[float]] = {name: [] for name in _NAMES}
        peaks: list[int] = []
        for number in range(options.rounds + 1):
            measured = {
                "batch": _timed(lambda: _batch(facecrop, pictures, work / "batch")),
                "paths": _timed(lambda: _map(spark, pictures, facecrop, work / "paths")),
                "content": _timed(lambda: _content(spark, pictures, facecrop, work / "content")),
                "small_tasks": _timed(lambda: _map(spark, pictures, facecrop, work / "small", tasks=4 * TASKS)),
            }
            peaks += _checked(spark, work, len(pictures))
            print(f"round {number}: " + ", ".join(f"{name} {wall:.2f} s" for name, (wall, _) in measured.items()))
            if number:
                for name, (wall, used) in measured.items():
                    samples[name].append(round(wall, 3))
                    processor[name].append(round(used, 2))
            for made in work.iterdir():
                shutil.rmtree(made)
    raw = {
        "environment": _environment(facecrop),
        "pictures": {"count": len(pictures), "bytes": statistics.median(path.stat().st_size for path in pictures)},
        "rounds": options.rounds,
        "tasks": TASKS,
        "session": {"start": round(start, 2), "firstTask": round(first, 2)},
        "peakMemory": max(peaks, default=None),
        "seconds": samples,
        "processorSeconds": processor,
    }
    spark.stop()
    target = options.runs / datetime.date.today().isoformat() / "spark"
    target.mkdir(parents=True, exist_ok=True)
    (target / "raw.json").write_text(json.dumps(raw, indent=1) + "\n")
    page = _page(raw)
    (target / "README.md").write_text(page)
    print(page)


def _pictures(options: argparse.Namespace) -> list[pathlib.Path]:
    folder = options.pictures
    if folder is None:
        # Uses .build/bench-pictures, like the other measurements: 20 different images out of 200.
        subprocess.run([options.bench.resolve(), "--generate", "--batch"], check=True, cwd=REPOSITORY)
        folder = REPOSITORY / ".build/bench-pictures/batch"
    return sorted(folder.resolve().glob("*.jpg"))


def _timed(what: Callable[[], object]) -> tuple[float, float]:
    """Returns the seconds and processor seconds of this process and all that it started."""
    began, before = time.monotonic(), _processor_time()
    what()
    return time.monotonic() - began, _processor_time() - before


def _processor_time() -> float:
    """Returns the processor time of this process's tree: live processes, and children that they waited for."""
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
                parents[int(folder.name)] = int(fields[1])
                ticks[int(folder.name)] = sum(map(int, fields[11:15]))
    own = os.getpid()

    def is_mine(process: int) -> bool:
        while process in parents and process != own:
            process = parents[process]
        return process == own

    return sum(count for process, count in ticks.items() if is_mine(process)) / os.sysconf("SC_CLK_TCK")


def _batch(facecrop: str, pictures: list[pathlib.Path], output: pathlib.Path) -> None:
    options = [f"--{name}={value}" for name, value in WANTED.items()]
    command = [facecrop, "batch", "--jobs=2", "--progress=none", f"--output-dir={output}", *options]
    subprocess.run([*command, *map(str, pictures)], check=True, stderr=subprocess.DEVNULL)


def _map(
    spark: SparkSession, pictures: list[pathlib.Path], facecrop: str, output: pathlib.Path, tasks: int = TASKS
) -> None:
    """Reads and writes files."""
    df = spark.createDataFrame([(str(path),) for path in pictures], "path string").repartition(tasks)
    base = str(pictures[0].parent)
    results = str(output / "results.parquet")
    crop_images(df, output=str(output), base=base, facecrop=facecrop, **WANTED).write.parquet(results)


def _content(spark: SparkSession, pictures: list[pathlib.Path], facecrop: str, output: pathlib.Path) -> None:
    """Passes contents: Spark reads the files, and the rows have the outputs."""
    spark.conf.set("spark.sql.execution.arrow.maxBytesPerBatch", "64m")
    df = spark.read.format("binaryFile").load([str(path) for path in pictures])
    crop_images(df, content="content", facecrop=facecrop, **WANTED).write.parquet(str(output / "results.parquet"))


def _checked(spark: SparkSession, work: pathlib.Path, count: int) -> list[int]:
    """Checks that the compared runs have written the same files; returns the workers' peaks of memory."""
    made = sorted((work / "batch").glob("*.jpg"))
    assert len(made) == count
    for one in made:
        assert one.read_bytes() == (work / "paths" / one.name).read_bytes(), one
    rows = spark.read.parquet(str(work / "paths/results.parquet")).select("status", "peak_memory").collect()
    assert [row.status for row in rows] == ["cropped"] * count, rows
    return [row.peak_memory for row in rows if row.peak_memory]


# Before Spark starts, which is a load itself.
_LOAD = round(os.getloadavg()[0], 2)


def _environment(facecrop: str) -> dict[str, object]:
    cpu = re.search(r"^model name\s*:\s*(.+)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    version = subprocess.run([facecrop, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    java = subprocess.run(["java", "-version"], capture_output=True, text=True, check=True).stderr.splitlines()[0]
    return {
        "date": datetime.date.today().isoformat(),
        "processor": cpu[1] if cpu else platform.machine(),
        "processors": os.cpu_count(),
        "load": _LOAD,
        "versions": {
            "facecrop": version,
            "pyspark": pyspark.__version__,
            "Python": platform.python_version(),
            "Java": java,
        },
    }


_NAMES = {
    "batch": "`facecrop batch --jobs 2`",
    "paths": "Spark, files in and out, 2 tasks of 100 images",
    "small_tasks": "Spark, files in and out, 8 tasks of 25",
    "content": "Spark, contents in and out (`binaryFile`), tasks of as many files as Spark packs into 128 MiB",
}


def _prose(*sentences: str) -> str:
    """Joins sentences to a paragraph of lines that `make lint-english` accepts."""
    return textwrap.fill(" ".join(sentences), 100, break_long_words=False, break_on_hyphens=False)


def _page(raw: dict) -> str:
    count = raw["pictures"]["count"]
    rates = {name: count / statistics.median(seconds) for name, seconds in raw["seconds"].items()}
    environment = raw["environment"]
    versions = ", ".join(f"{name} {version}" for name, version in environment["versions"].items())
    ratio = rates["paths"] / rates["batch"]
    is_alone = environment["load"] <= 0.5
    verdict = ("held" if ratio >= ASKED else "**missed**") if is_alone else "not judged"
    lines = [
        f"# On Spark, {environment['date']}",
        "",
        _prose(
            f"Made by `make spark-bench` on {environment['processors']} × {environment['processor']}.",
            f"The load was {environment['load']} before.",
            f"Versions: {versions}.",
            f"The input is {count} images of 12 MP and {raw['pictures']['bytes'] / 1e6:.1f} MB each,",
            "and the outputs are avatars of 512 pixels.",
            f"Figures are medians of {raw['rounds']} rounds, in turn.",
            "Every sample is in raw.json.",
        ),
        "",
        "| | seconds | images per second | of the batch | processor time per image | of the batch |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, label in _NAMES.items():
        seconds = statistics.median(raw["seconds"][name])
        used = statistics.median(raw["processorSeconds"][name])
        least = statistics.median(raw["processorSeconds"]["batch"])
        lines.append(
            f"| {label} | {seconds:.2f} | {rates[name]:.1f} | {rates[name] / rates['batch']:.2f} "
            f"| {1000 * used / count:.0f} ms | {used / least:.2f} |"
        )
    if not is_alone:
        lines += [
            "",
            _prose(
                "**Other programs ran meanwhile.**",
                "Spark has more processes than a batch and gets a larger share of the processors.",
                "So its rates look better.",
                "Compare the processor times.",
            ),
        ]
    session = raw["session"]
    lines += [
        "",
        _prose(
            f"The limit was at least {ASKED} of the batch for files in and out,",
            f"and Spark reached {ratio:.2f}: {verdict}.",
            "The time lasts from the call to the rows in Parquet, and for the batch from start to end.",
            "Both wrote the same bytes.",
        ),
        "",
        _prose(
            "These figures do not contain the start of a job.",
            f"Spark's session starts in {session['start']:.1f} s.",
            f"Its first task, with Python's start, takes {session['firstTask']:.1f} s for two images.",
        ),
        "",
    ]
    if raw["peakMemory"]:
        lines += [f"A worker's peak resident memory is {raw['peakMemory'] / 2**20:.0f} MiB.", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
