"""Checks that each record appears once, with the same result as from one process, although workers are killed."""

import contextlib
import os
import pathlib
import random
import shutil
import signal
import threading
from collections.abc import Iterator
from typing import Any

from pyspark.sql import SparkSession

from facecrop_spark import Progress, crop_images
from samples import pictures

PORTRAIT = pictures.REPOSITORY / "Tests/Fixtures/astronaut.jpg"
RECORDS = int(os.environ.get("RECORDS", "20000"))
# Small, so that 20,000 take only minutes, and with cascades, which are fast on small images.
OPTIONS: dict[str, Any] = {"preset": "avatar", "size": 48, "detector": "haar", "no_face": "skip"}
# A run could read a folder's files, but a worker cannot; so they use different reasons.
A_FOLDER = {"kind": "folder"}
A_FOLDER_TO_A_WORKER = {"kind": "unreadable", "message": "the input is a folder, not a regular file"}


class Killer:
    """Kills worker processes of one command at random until it exits."""

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


def hostile(base: pathlib.Path, count: int) -> dict[str, set[str]]:
    """Makes images that crash or hang their reader, and their possible reasons. One that hangs may be killed each time
    before its timeout."""
    made = {}
    for number in range(count):
        kind = "hang" if number % 5 == 4 else "crash"
        path = base / f"hostile-{number}" / f"{kind}.jpg"
        path.parent.mkdir(parents=True)
        shutil.copyfile(PORTRAIT, path)
        made[str(path)] = {"limit", "crashed"} if kind == "hang" else {"crashed"}
    return made


def essence(entry: dict[str, Any]) -> tuple[object, ...]:
    """Returns the fields that a row and a manifest's entry must share."""
    reason = entry.get("reason")
    if reason and reason["kind"] == A_FOLDER["kind"]:
        reason = A_FOLDER_TO_A_WORKER
    return (
        entry["status"],
        reason and (reason["kind"], reason["message"]),
        [(output["sha256"], output["bytes"], output["width"]) for output in entry.get("outputs") or []],
        known(entry.get("faces") or []),
        entry.get("regions") or [],
    )


def known(value: Any) -> Any:
    """Returns a value without null members, which a row has but a manifest does not."""
    if isinstance(value, dict):
        return {name: known(member) for name, member in value.items() if member is not None}
    return [known(member) for member in value] if isinstance(value, list) else value


def test_killed_at_random_all_rows_are_those_of_one_process(
    spark: SparkSession, facecrop: str, poisoned_command: str, tmp_path: pathlib.Path, batch: Any
) -> None:
    base = tmp_path / "in"
    # One in a hundred is bad, and a tenth of these would end a single process.
    damaged = pictures.poison(base / "poison", max(RECORDS // 110, 1))
    killing = hostile(base, max(RECORDS // 1000, 2))
    sound = pictures.draw(base, RECORDS - len(damaged) - len(killing))
    options = ["--preset=avatar", "--size=48", "--detector=haar", "--no-face=skip", "--jobs=2"]
    expected = batch(base, tmp_path / "alone", options, sound + damaged)

    inputs = [str(path) for path in sound + damaged] + list(killing)
    random.Random(3).shuffle(inputs)
    assert len(inputs) == RECORDS
    df = spark.createDataFrame([(path,) for path in inputs], "path string").repartition(8)
    kills = restarts = 0
    # A random kill may hit no worker, so it repeats until one was restarted.
    while kills == 0 or restarts == 0:
        run = tmp_path / f"run-{kills}-{restarts}-{random.random()}"
        killer = Killer(str(tmp_path / "facecrop-of-this-test"), (0.5, 2.5))
        with Progress(spark, RECORDS, seconds=15) as progress, killer:
            crop_images(
                df,
                output=str(run / "out"),
                base=str(base),
                facecrop=poisoned_command,
                timeout=5,
                progress=progress,
                **OPTIONS,
            ).write.parquet(str(run / "results.parquet"))
        rows = [row.asDict(recursive=True) for row in spark.read.parquet(str(run / "results.parquet")).collect()]
        restarted = progress.counts["restarts"].value
        print(f"{len(rows)} rows; {killer.kills} processes killed, {restarted} workers restarted")
        check(rows, inputs, expected, damaged, killing, str(run / "out"), tmp_path / "alone")
        kills += killer.kills
        restarts += restarted


def check(
    rows: list[dict[str, Any]],
    inputs: list[str],
    expected: dict[str, Any],
    damaged: list[pathlib.Path],
    killing: dict[str, set[str]],
    output: str,
    alone: pathlib.Path,
) -> None:
    """Checks that each input has one row, equal to an undisturbed run's, and that each output has the same bytes."""
    assert len(rows) == RECORDS
    by_path = {row["path"]: row for row in rows}
    assert set(by_path) == set(inputs)
    wrong = {
        path: (essence(by_path[path]), essence(entry))
        for path, entry in expected.items()
        if essence(by_path[path]) != essence(entry)
    }
    assert not wrong, f"{len(wrong)} differ, as {next(iter(wrong.items()))}"
    # Only bad files fail.
    failed = {path: row["reason"]["kind"] for path, row in by_path.items() if row["status"] == "failed"}
    assert set(failed) == {str(path) for path in damaged} | set(killing)
    assert not {path: failed[path] for path in killing if failed[path] not in killing[path]}
    # Every output exists with the bytes of its row, which are the other run's.
    made = [pathlib.Path(one["file"]) for row in rows for one in row["outputs"] or []]
    for path in made:
        assert path.read_bytes() == (alone / path.relative_to(output)).read_bytes()
    assert sorted(made) == sorted(path for path in pathlib.Path(output).rglob("*") if path.is_file())
