"""`make spark-bench`: compares Spark's `local[2]` with one `facecrop batch --jobs 2`, on the same 200 images of 12 MP.

The runs alternate; the first round, which fills the system's file cache, is not counted. Spark's time is from the call
to the rows in Parquet, in a session that has already run a task. Its start, once per job, is reported separately.
Processor time is that of all processes, including the JVM's. Nothing else may run meanwhile.
"""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping

import pyspark
from pyspark.sql import SparkSession

from compare.environment import environment
from facecrop_spark import crop_images
from samples.pictures import REPOSITORY
from samples.spark_session import frame, start_spark

WANTED = {"preset": "avatar", "size": 512}
ASKED = 0.8
# One for each processor of local[2]: 100 images, fewer than a task should have.
TASKS = 2


def main() -> None:
    parser = argparse.ArgumentParser(prog="spark-bench", description=__doc__)
    parser.add_argument("--facecrop", type=pathlib.Path, default=REPOSITORY / ".build/release/facecrop")
    parser.add_argument("--pictures", type=pathlib.Path, help="a folder of pictures")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--bench", type=pathlib.Path, default=REPOSITORY / ".build/release/bench", help="draws them")
    parser.add_argument("--runs", type=pathlib.Path, default=REPOSITORY / "Benchmarks/runs")
    options = parser.parse_args()

    facecrop = str(options.facecrop.resolve())
    # Before Spark starts, which is a load itself.
    surroundings = _environment(facecrop)
    pictures = _pictures(options)
    began = time.monotonic()
    spark = start_spark("facecrop bench")
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        start = time.monotonic() - began
        first, _ = _timed(lambda: _map(spark, pictures[:2], facecrop, work / "first", tasks=1))
        peaks: list[int] = []

        def check() -> None:
            peaks.extend(_checked(spark, work, len(pictures)))
            for made in work.iterdir():
                shutil.rmtree(made)

        words = [facecrop, "batch", "--jobs=2", "--progress=none", f"--output-dir={work}/batch"]
        words += [f"--{name}={value}" for name, value in WANTED.items()]
        runs = {
            "batch": lambda: subprocess.run([*words, *pictures], check=True, stderr=subprocess.DEVNULL),
            "paths": lambda: _map(spark, pictures, facecrop, work / "paths"),
            "content": lambda: _content(spark, pictures, facecrop, work / "content"),
            "small_tasks": lambda: _map(spark, pictures, facecrop, work / "small", tasks=4 * TASKS),
        }
        samples = _measured(options.rounds, runs, check)
    raw = {
        "environment": surroundings,
        "pictures": {"count": len(pictures), "bytes": statistics.median(path.stat().st_size for path in pictures)},
        "rounds": options.rounds,
        "tasks": TASKS,
        "session": {"start": round(start, 2), "firstTask": round(first, 2)},
        "peakMemory": max(peaks, default=None),
        "seconds": {name: [wall for wall, _ in found] for name, found in samples.items()},
        "processorSeconds": {name: [used for _, used in found] for name, found in samples.items()},
    }
    spark.stop()
    target = options.runs / surroundings["date"] / "spark"
    target.mkdir(parents=True, exist_ok=True)
    (target / "raw.json").write_text(json.dumps(raw, indent=1) + "\n")
    page = _page(raw)
    (target / "README.md").write_text(page)
    print(page)


def _timed(run: Callable[[], object]) -> tuple[float, float]:
    """Returns the seconds, and the processor seconds of this process and all that it started."""
    began, before = time.monotonic(), _processor_time()
    run()
    return round(time.monotonic() - began, 3), round(_processor_time() - before, 2)


def _measured(
    rounds: int, runs: Mapping[str, Callable[[], object]], check: Callable[[], object]
) -> dict[str, list[tuple[float, float]]]:
    """Returns what `_timed` gives for each of the runs in each round. The first round, which fills the system's file
    cache, is not counted. `check` is called after each round."""
    samples: dict[str, list[tuple[float, float]]] = {name: [] for name in runs}
    for number in range(rounds + 1):
        for name, run in runs.items():
            samples[name].append(_timed(run))
        print(f"round {number}: " + ", ".join(f"{name} {samples[name][-1][0]:.2f} s" for name in runs))
        check()
    return {name: found[1:] for name, found in samples.items()}


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


def _pictures(options: argparse.Namespace) -> list[pathlib.Path]:
    folder = options.pictures
    if folder is None:
        # Uses .build/bench-pictures, like the other measurements: 20 different images out of 200.
        subprocess.run([options.bench.resolve(), "--generate", "--batch"], check=True, cwd=REPOSITORY)
        folder = REPOSITORY / ".build/bench-pictures/batch"
    return sorted(folder.resolve().glob("*.jpg"))


def _map(
    spark: SparkSession, pictures: list[pathlib.Path], facecrop: str, output: pathlib.Path, tasks: int = TASKS
) -> None:
    """Reads and writes files."""
    df = frame(spark, pictures).repartition(tasks)
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


def _environment(facecrop: str) -> dict:
    found = environment(facecrop, tools=False)
    java = subprocess.run(["java", "-version"], capture_output=True, text=True, check=True).stderr.splitlines()[0]
    versions = {"pyspark": pyspark.__version__, "Java": java}
    return found | {"versions": {name: found["versions"][name] for name in ("facecrop", "Python")} | versions}


_NAMES = {
    "batch": "`facecrop batch --jobs 2`",
    "paths": "Spark, files in and out, 2 tasks of 100 images",
    "small_tasks": "Spark, files in and out, 8 tasks of 25",
    "content": "Spark, contents in and out (`binaryFile`), tasks of as many files as Spark packs into 128 MiB",
}


def _page(raw: dict) -> str:
    """Returns the figures as Markdown. Rates beside other programs cannot be compared: Spark has more processes."""
    count, environment, session = raw["pictures"]["count"], raw["environment"], raw["session"]
    seconds, used = (
        {name: statistics.median(found) for name, found in raw[key].items()} for key in ("seconds", "processorSeconds")
    )
    ratio = seconds["batch"] / seconds["paths"]
    verdict = "not judged" if environment["load"] > 0.5 else "held" if ratio >= ASKED else "**missed**"
    facts = {
        "made by": f"`make spark-bench` on {environment['processors']} × {environment['processor']}",
        "load before": environment["load"],
        "versions": ", ".join(f"{name} {version}" for name, version in environment["versions"].items()),
        "input": f"{count} images of 12 MP and {raw['pictures']['bytes'] / 1e6:.1f} MB; avatars of 512 pixels",
        "figures": f"medians of {raw['rounds']} rounds, in turn; every sample is in raw.json",
        "files in and out, over the batch": f"{ratio:.2f}, at least {ASKED} asked: {verdict}",
        "start of a session, not in the figures": f"{session['start']:.1f} s",
        "its first task, with Python's start": f"{session['firstTask']:.1f} s for two images",
        "peak memory of a worker": f"{(raw['peakMemory'] or 0) / 2**20:.0f} MiB",
    }
    lines = [f"# On Spark, {environment['date']}", "", "| fact | value |", "|---|---|"]
    lines += [f"| {name} | {value} |" for name, value in facts.items()]
    lines += ["", "| | seconds | images per second | of the batch | processor time per image | of the batch |"]
    lines += ["| --- | ---: | ---: | ---: | ---: | ---: |"]
    for name, label in _NAMES.items():
        lines.append(
            f"| {label} | {seconds[name]:.2f} | {count / seconds[name]:.1f} | {seconds['batch'] / seconds[name]:.2f} "
            f"| {1000 * used[name] / count:.0f} ms | {used[name] / used['batch']:.2f} |"
        )
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main()
