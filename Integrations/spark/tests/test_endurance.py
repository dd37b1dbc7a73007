"""However many records and however many workers are killed: each record once, and as one process alone has it."""

import contextlib
import os
import pathlib
import random
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession

from facecrop_spark import Progress, crop_images
from samples import pictures

RECORDS = int(os.environ.get("RECORDS", "20000"))
# Small, so that 20,000 are done in minutes, and by cascades, which are quick on small ones.
OPTIONS: dict[str, Any] = {"preset": "avatar", "size": 48, "detector": "haar", "no_face": "skip"}
# A run could take what is in a folder, which a worker cannot; so they call it differently.
A_FOLDER = {"kind": "folder"}
A_FOLDER_TO_A_WORKER = {"kind": "unreadable", "message": "is a folder, not a file"}


class Killer:
    """Ends worker processes of one command, at random, while it is entered."""

    def __init__(self, command: str, seconds: tuple[float, float]) -> None:
        self._command = os.fsencode(command)
        self._lots = random.Random(11)
        self._seconds = seconds
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.kills = 0

    def __enter__(self) -> "Killer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(self._lots.uniform(*self._seconds)):
            if workers := sorted(self._workers()):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self._lots.choice(workers), signal.SIGKILL)
                    self.kills += 1

    def _workers(self) -> Iterator[int]:
        for folder in pathlib.Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if folder.name.isdigit() and (folder / "cmdline").read_bytes().split(b"\0")[0] == self._command:
                    yield int(folder.name)


@pytest.fixture
def own_command(facecrop: str, tmp_path: pathlib.Path) -> str:
    """The command by a name that no other process has."""
    link = tmp_path / "facecrop-of-this-test"
    link.symlink_to(facecrop)
    return str(link)


@pytest.fixture
def crashing_command(facecrop: str, tmp_path: pathlib.Path) -> str:
    """The command, which dies when it opens a file named crash-poison."""
    library, wrapper = tmp_path / "crash.so", tmp_path / "crashing"
    source = pathlib.Path(__file__).with_name("crash.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    wrapper.write_text(f'#!/bin/sh\nLD_PRELOAD={library} exec {facecrop} "$@"\n')
    wrapper.chmod(0o700)
    return str(wrapper)


def essence(entry: dict[str, Any]) -> tuple[object, ...]:
    """What has to be the same, of a row and of a manifest's entry."""
    reason = entry.get("reason")
    if reason and reason["kind"] == A_FOLDER["kind"]:
        reason = A_FOLDER_TO_A_WORKER
    return (
        entry["status"],
        reason and (reason["kind"], reason["message"]),
        [(output["sha256"], output["bytes"], output["width"]) for output in entry.get("outputs") or []],
        [{name: value for name, value in face.items() if value is not None} for face in entry.get("faces") or []],
        entry.get("regions") or [],
    )


def test_killed_at_random_all_rows_are_those_of_one_process(
    spark: SparkSession, facecrop: str, own_command: str, tmp_path: pathlib.Path, batch: Any
) -> None:
    base = tmp_path / "in"
    count = max(RECORDS // 100, 1)
    inputs = pictures.draw(base, RECORDS - count) + pictures.poison(base / "poison", count)
    random.Random(3).shuffle(inputs)
    assert len(inputs) == RECORDS
    options = ["--preset=avatar", "--size=48", "--detector=haar", "--no-face=skip", "--jobs=2"]
    expected = batch(base, tmp_path / "alone", options, inputs)

    df = spark.createDataFrame([(str(path),) for path in inputs], "path string").repartition(8)
    results = str(tmp_path / "results.parquet")
    with Progress(spark, RECORDS, seconds=15) as progress, Killer(own_command, (0.5, 2.5)) as killer:
        crop_images(
            df, output=str(tmp_path / "out"), base=str(base), facecrop=own_command, progress=progress, **OPTIONS
        ).write.parquet(results)

    rows = [row.asDict(recursive=True) for row in spark.read.parquet(results).collect()]
    print(f"{len(rows)} rows; {killer.kills} workers killed, {progress.counts['restarts'].value} restarts")
    assert len(rows) == RECORDS
    by_path = {row["path"]: row for row in rows}
    assert set(by_path) == {str(path) for path in inputs}
    wrong = {
        path: (essence(by_path[path]), essence(entry))
        for path, entry in expected.items()
        if essence(by_path[path]) != essence(entry)
    }
    assert not wrong
    assert killer.kills > 0
    assert progress.counts["restarts"].value > 0
    # Poison is named, and nothing else is taken for it.
    failed = {path for path, row in by_path.items() if row["status"] == "failed"}
    assert failed == {str(path) for path in inputs if path.is_relative_to(base / "poison")}
    # Every output is there, with the bytes that its row tells, which are the other run's.
    for row in rows:
        for output in row["outputs"] or []:
            below = pathlib.Path(output["file"]).relative_to(tmp_path / "out")
            assert pathlib.Path(output["file"]).read_bytes() == (tmp_path / "alone" / below).read_bytes()
    assert len([path for path in (tmp_path / "out").rglob("*") if path.is_file()]) == sum(
        len(row["outputs"] or []) for row in rows
    )


def test_pictures_that_crash_their_worker_are_named(
    spark: SparkSession, crashing_command: str, tmp_path: pathlib.Path
) -> None:
    inputs = pictures.draw(tmp_path / "in", 200)
    poison = []
    for source in inputs[::40]:
        poison.append(source.with_name(f"{source.stem}-crash-poison.jpg"))
        shutil.copyfile(source, poison[-1])
    df = spark.createDataFrame([(str(path),) for path in inputs + poison], "path string").repartition(4)
    results = crop_images(df, output=str(tmp_path / "out"), facecrop=crashing_command, **OPTIONS).collect()
    rows = {row.path: row.asDict(recursive=True) for row in results}
    assert len(rows) == len(results) == len(inputs) + len(poison)
    failed = {path: row["reason"]["kind"] for path, row in rows.items() if row["status"] == "failed"}
    assert failed == {str(path): "crashed" for path in poison}
    assert {rows[str(path)]["status"] for path in inputs} <= {"cropped", "no-face"}
